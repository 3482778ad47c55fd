import { Button, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { ERASED_AFTER_DAYS } from '../../../shared/limits.ts'
import { useTRPC } from '../app/api.ts'
import { type Outputs, useAccount } from '../app/session.tsx'
import { Loaded } from '../components/feedback/loaded.tsx'
import { useConfirm } from '../components/forms/confirm.tsx'
import { Form } from '../components/forms/form.tsx'
import { useSubmit } from '../components/forms/submit.ts'
import { isolated } from '../components/name.tsx'
import { Page } from '../components/page.tsx'
import { Section } from '../components/section.tsx'

type Effects = Outputs['account']['closing']['effects']

export function DeleteAccount() {
  const trpc = useTRPC()
  const query = useQuery(trpc.account.closing.effects.queryOptions({}))
  return (
    <Page title="Delete account" intro="What happens when you delete your account, and how you do it.">
      <Loaded query={query}>
        {(effects) => (
          <>
            <Consequences effects={effects} />
            <DeletionForm />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Consequences({ effects: { applications } }: { effects: Effects }) {
  const stopped = applications.filter(({ heir }) => heir === null)
  const given = applications.filter(({ heir }) => heir !== null)
  return (
    <>
      <Section title="At once">
        <ul className="wishes">
          <li>You are logged out everywhere, and nobody can log in to the account.</li>
          <li>Your channel is not found any more, and a live stream ends.</li>
          <li>
            Applications that you have allowed lose their access, and nothing of your channel is sent to webhooks.
          </li>
          {given.map(({ id, name, heir }) => (
            <li key={id}>
              Your application {isolated(name)} goes to {heir}. Its keys, client secrets and tokens end.
            </li>
          ))}
          {stopped.map(({ id, name }) => (
            <li key={id}>Your application {isolated(name)} stops, with its keys, tokens and webhooks.</li>
          ))}
        </ul>
      </Section>
      <Section title={`After ${ERASED_AFTER_DAYS} days`}>
        <ul className="wishes">
          <li>Your address, profile, messages, factors and applications are erased for good.</li>
          <li>Your name stays taken: nobody else can have it.</li>
          <li>
            Until then whoever runs this service can open your account again. Applications that went to somebody else
            stay there.
          </li>
        </ul>
      </Section>
    </>
  )
}

const question = {
  title: 'Delete your account?',
  body: 'You are logged out at once, here too.',
  action: 'Delete account',
}

function DeletionForm() {
  const trpc = useTRPC()
  const confirm = useConfirm()
  const { username } = useAccount()
  const form = useForm({
    initialValues: { username: '' },
    validate: {
      username: (typed) =>
        typed.trim().toLowerCase() === username ? null : `Type "${username}" to delete your account.`,
    },
  })
  const submit = useSubmit(form, trpc.account.closing.close.mutationOptions(), {
    fields: ['username'],
    onDone: () => location.assign('/closed'),
  })
  const close = async (values: typeof form.values) => {
    if (await confirm(question)) submit.send(values)
  }
  return (
    <Section title="Delete your account">
      <Form form={form} submit={submit} onSubmit={close} buttons={<Delete isPending={submit.isPending} />}>
        <TextInput
          label="Your username"
          description={
            <Text component="span" size="xs">
              Type <b>{username}</b>, so that nothing happens by accident.
            </Text>
          }
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          {...form.getInputProps('username')}
        />
      </Form>
    </Section>
  )
}

const Delete = ({ isPending }: { isPending: boolean }) => (
  <Group justify="flex-end">
    <Button type="submit" loading={isPending}>
      Delete account
    </Button>
  </Group>
)
