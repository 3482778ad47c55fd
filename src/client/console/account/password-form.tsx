import { Button, Group, PasswordInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { PASSWORD_LENGTH_MIN } from '../../../shared/limits.ts'
import { useTRPC } from '../app/api.ts'
import { loginAddress } from '../app/session.tsx'
import { useConfirm } from '../components/forms/confirm.tsx'
import { Form } from '../components/forms/form.tsx'
import { useSubmit } from '../components/forms/submit.ts'
import { Section } from '../components/section.tsx'

const question = {
  title: 'Change your password?',
  body: 'You will be logged out everywhere, here too, and every application that you have allowed loses its access.',
  action: 'Change password',
}

/** The service ends this session as well, so the next page is the login. */
export function PasswordForm() {
  const trpc = useTRPC()
  const confirm = useConfirm()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { current_password: '', new_password: '' },
    validate: {
      new_password: (value) =>
        value.length < PASSWORD_LENGTH_MIN ? `At least ${PASSWORD_LENGTH_MIN} characters.` : null,
    },
  })
  const submit = useSubmit(form, trpc.account.changePassword.mutationOptions(), {
    fields: ['current_password', 'new_password'],
    onDone: () => location.assign(loginAddress('/console/account/sign-in')),
  })
  const change = async (values: typeof form.values) => {
    if (await confirm(question)) submit.send(values)
  }
  return (
    <Section title="Password" intro={question.body}>
      <Form form={form} submit={submit} onSubmit={change} buttons={<Change isPending={submit.isPending} />}>
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          key={form.key('current_password')}
          {...form.getInputProps('current_password')}
        />
        <PasswordInput
          label="New password"
          description={`At least ${PASSWORD_LENGTH_MIN} characters.`}
          autoComplete="new-password"
          required
          key={form.key('new_password')}
          {...form.getInputProps('new_password')}
        />
      </Form>
    </Section>
  )
}

const Change = ({ isPending }: { isPending: boolean }) => (
  <Group justify="flex-end">
    <Button type="submit" variant="default" loading={isPending}>
      Change password
    </Button>
  </Group>
)
