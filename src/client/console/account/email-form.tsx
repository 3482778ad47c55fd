import { Button, Group, PasswordInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTRPC } from '../app/api.ts'
import { useAccount } from '../app/session.tsx'
import { Form } from '../components/forms/form.tsx'
import { useSubmit } from '../components/forms/submit.ts'
import { Section } from '../components/section.tsx'

export function EmailForm() {
  const trpc = useTRPC()
  const { email } = useAccount()
  const form = useForm({ mode: 'uncontrolled', initialValues: { email, password: '' } })
  const submit = useSubmit(form, trpc.account.changeEmail.mutationOptions(), {
    fields: ['email', 'password'],
    done: 'Your email address is changed.',
    refresh: trpc.account.pathKey(),
    onDone: () => {
      form.setFieldValue('password', '')
      form.resetDirty()
    },
  })
  return (
    <Section title="Email address">
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

const Save = ({ isPending }: { isPending: boolean }) => (
  <Group justify="flex-end">
    <Button type="submit" variant="default" loading={isPending}>
      Change email address
    </Button>
  </Group>
)
