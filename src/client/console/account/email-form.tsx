import { Button, Group, PasswordInput, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTRPC } from '../app/api.ts'
import { useAccount } from '../app/session.tsx'
import { Notice } from '../components/feedback/notice.tsx'
import { useAction } from '../components/forms/action.ts'
import { Form } from '../components/forms/form.tsx'
import { useSubmit } from '../components/forms/submit.ts'
import { Section } from '../components/section.tsx'

export function EmailForm() {
  const trpc = useTRPC()
  const { email, email_verified, pending_email } = useAccount()
  const form = useForm({ mode: 'uncontrolled', initialValues: { email, password: '' } })
  const submit = useSubmit(form, trpc.account.changeEmail.mutationOptions(), {
    fields: ['email', 'password'],
    done: 'A link is on its way to the new address: confirm it there.',
    refresh: trpc.account.pathKey(),
    onDone: () => {
      form.setFieldValue('password', '')
      form.resetDirty()
    },
  })
  return (
    <Section title="Email address">
      <AddressState email={email} isVerified={email_verified} pending={pending_email} />
      <Form form={form} submit={submit} onSubmit={submit.send} buttons={<Save isPending={submit.isPending} />}>
        <TextInput
          label="Email"
          type="email"
          autoComplete="email"
          required
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
      </Form>
    </Section>
  )
}

type AddressStateProps = { email: string; isVerified: boolean; pending: string | null }

/** Whether the address is confirmed, and how to get there. */
function AddressState({ email, isVerified, pending }: AddressStateProps) {
  const trpc = useTRPC()
  const { run, isPending } = useAction(trpc.account.resendVerification.mutationOptions(), {
    done: 'A link is on its way.',
    failed: 'The link was not sent',
    refresh: trpc.account.me.pathKey(),
  })
  const waiting = pending ?? (isVerified ? null : email)
  if (waiting === '')
    return <Notice tone="warn">The address that you gave was confirmed by another account. Give another one.</Notice>
  if (waiting === null) return <Text size="sm">{email} is confirmed.</Text>
  return (
    <Notice tone="warn">
      <Group justify="space-between">
        <Text size="sm">{waiting} is not confirmed yet: open the link that was sent there.</Text>
        <Button variant="default" size="xs" loading={isPending} onClick={() => void run({})}>
          Send it again
        </Button>
      </Group>
    </Notice>
  )
}

const Save = ({ isPending }: { isPending: boolean }) => (
  <Group justify="flex-end">
    <Button type="submit" variant="default" loading={isPending}>
      Change email address
    </Button>
  </Group>
)
