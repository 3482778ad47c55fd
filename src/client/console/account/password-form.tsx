import { Button, Group, PasswordInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { PASSWORD_LENGTH_MIN } from '../../../shared/limits.ts'
import { useTRPC } from '../app/api.ts'
import { loginAddress } from '../app/session.tsx'
import { useConfirm } from '../components/forms/confirm.tsx'
import { fieldErrors } from '../components/forms/field-errors.ts'
import { FormProblem } from '../components/forms/form-problem.tsx'
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
  const { mutate, error, isPending } = useMutation(
    trpc.account.changePassword.mutationOptions({
      onSuccess: () => location.assign(loginAddress('/console/account/sign-in')),
      onError: (failure) => form.setErrors(fieldErrors(failure, ['current_password', 'new_password'])),
    }),
  )
  const submit = form.onSubmit(async (values) => {
    if (await confirm(question)) mutate(values)
  })
  return (
    <Section title="Password" intro={question.body}>
      <form className="form" onSubmit={submit}>
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          key={form.key('current_password')}
          {...form.getInputProps('current_password')}
        />
        <PasswordInput
          label="New password"
          description={`At least ${PASSWORD_LENGTH_MIN} characters`}
          autoComplete="new-password"
          required
          key={form.key('new_password')}
          {...form.getInputProps('new_password')}
        />
        <FormProblem form={form} error={error} />
        <Group justify="flex-end">
          <Button type="submit" variant="default" loading={isPending}>
            Change password
          </Button>
        </Group>
      </form>
    </Section>
  )
}
