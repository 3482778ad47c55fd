import { Button, Group, PasswordInput, SimpleGrid, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useTRPC } from '../../app/api.ts'
import type { Outputs } from '../../app/session.tsx'
import { Notice } from '../../components/feedback/notice.tsx'
import { Problem } from '../../components/feedback/problem.tsx'
import { Section } from '../../components/section.tsx'

type Diagnosis = Outputs['doctor']['signature']

const empty = { secret: '', id: '', timestamp: '', signature: '', body: '' }

/** Names the usual mistakes: a body that was parsed and serialised again, a wrong secret, a wrong clock. */
export function SignatureDoctor() {
  const trpc = useTRPC()
  const form = useForm({ initialValues: empty })
  const { mutate, data, error, isPending } = useMutation(trpc.doctor.signature.mutationOptions())
  const field = (name: keyof typeof empty) => ({
    autoComplete: 'off',
    spellCheck: false,
    ...form.getInputProps(name),
  })
  return (
    <Section
      title="Signatures"
      intro="Paste what your receiver got, to the byte. If the signature is wrong, the answer says which mistake it is."
    >
      <form className="form" onSubmit={form.onSubmit((values) => mutate(values))}>
        <PasswordInput label="Signing secret" placeholder="whsec_…" {...field('secret')} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput label="webhook-id" placeholder="evt_…" {...field('id')} />
          <TextInput label="webhook-timestamp" inputMode="numeric" placeholder="1767323045" {...field('timestamp')} />
        </SimpleGrid>
        <TextInput label="webhook-signature" placeholder="v1,…" {...field('signature')} />
        <Textarea label="Body" description="As it was received" autosize minRows={4} {...field('body')} />
        <Group justify="flex-end">
          <Button type="submit" loading={isPending}>
            Verify
          </Button>
        </Group>
      </form>
      {error && <Problem error={error} />}
      {data && !isPending && <Verdict diagnosis={data} />}
    </Section>
  )
}

function Verdict({ diagnosis: { valid, reason } }: { diagnosis: Diagnosis }) {
  return (
    <Notice
      role="status"
      tone={valid ? 'good' : 'bad'}
      title={valid ? 'The signature is right' : 'The signature is not right'}
    >
      {reason}
    </Notice>
  )
}
