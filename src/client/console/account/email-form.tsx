import { Button, Group, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../app/api.ts'
import { useAccount } from '../app/session.tsx'
import { notifyDone } from '../components/feedback/notices.tsx'
import { fieldErrors } from '../components/forms/field-errors.ts'
import { FormProblem } from '../components/forms/form-problem.tsx'
import { Section } from '../components/section.tsx'

export function EmailForm() {
  const trpc = useTRPC()
  const queries = useQueryClient()
  const { email } = useAccount()
  const form = useForm({ mode: 'uncontrolled', initialValues: { email, password: '' } })
  const { mutate, error, isPending } = useMutation(
    trpc.account.changeEmail.mutationOptions({
      onSuccess: () => {
        notifyDone('Your email address is changed.')
        form.setFieldValue('password', '')
        return queries.invalidateQueries({ queryKey: trpc.account.pathKey() })
      },
      onError: (failure) => form.setErrors(fieldErrors(failure, ['email', 'password'])),
    }),
  )
  return (
    <Section title="Email address">
      <form className="form" onSubmit={form.onSubmit((values) => mutate(values))}>
        <TextInput
          label="Email"
          type="email"
          autoComplete="email"
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
        <FormProblem form={form} error={error} />
        <Group justify="flex-end">
          <Button type="submit" variant="default" loading={isPending}>
            Change email address
          </Button>
        </Group>
      </form>
    </Section>
  )
}
