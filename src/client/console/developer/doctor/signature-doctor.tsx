import { Button, Group, PasswordInput, SimpleGrid, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTRPC } from '../../app/api.ts'
import type { Outputs } from '../../app/session.tsx'
import { Notice } from '../../components/feedback/notice.tsx'
import { Form } from '../../components/forms/form.tsx'
import { useSubmit } from '../../components/forms/submit.ts'
import { Section } from '../../components/section.tsx'

type Diagnosis = Outputs['doctor']['signature']

const empty = { secret: '', id: '', timestamp: '', signature: '', body: '' }

/** Names the usual mistakes: a body that was parsed and serialised again, a wrong secret, a wrong clock. */
export function SignatureDoctor() {
  const trpc = useTRPC()
  const form = useForm({ initialValues: empty })
  const submit = useSubmit(form, trpc.doctor.signature.mutationOptions(), { fields: Object.keys(empty) })
  const { data, isPending } = submit
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
      <Form
        form={form}
        submit={submit}
        onSubmit={submit.send}
        isFleeting
        buttons={
          <Group justify="flex-end">
            <Button type="submit" loading={isPending}>
              Verify
            </Button>
          </Group>
        }
      >
        <PasswordInput label="Signing secret" placeholder="whsec_…" {...field('secret')} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput label="webhook-id" placeholder="evt_…" {...field('id')} />
          <TextInput label="webhook-timestamp" inputMode="numeric" placeholder="1767323045" {...field('timestamp')} />
        </SimpleGrid>
        <TextInput label="webhook-signature" placeholder="v1,…" {...field('signature')} />
        <Textarea label="Body" description="As it was received." autosize minRows={4} {...field('body')} />
      </Form>
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
