import { Anchor, Stack, Switch } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useTRPC } from '../app/api.ts'
import { type Outputs, useAccount } from '../app/session.tsx'
import { Loaded } from '../components/feedback/loaded.tsx'
import { Notice } from '../components/feedback/notice.tsx'
import { useAction } from '../components/forms/action.ts'
import { Page } from '../components/page.tsx'
import { Section } from '../components/section.tsx'

type NoticeSettings = Outputs['account']['notifications']['get']

export function Notifications() {
  const trpc = useTRPC()
  const query = useQuery(trpc.account.notifications.get.queryOptions({}))
  return (
    <Page title="Notifications" intro="Which mails you get about your applications.">
      <Section
        title="Mails"
        intro="Mails about your account, such as a new password or a login with a new device, always come."
      >
        <Unconfirmed />
        <Loaded query={query}>{(settings) => <Switches settings={settings} />}</Loaded>
      </Section>
    </Page>
  )
}

const notices: readonly { name: keyof NoticeSettings; label: string; description: string }[] = [
  {
    name: 'webhook_notices',
    label: 'Webhooks that fail',
    description:
      'After a day and after three days without a success, and when one was disabled: one mail a day for each application.',
  },
  {
    name: 'key_notices',
    label: 'API keys that end',
    description: '14 days and three days before.',
  },
]

function Switches({ settings }: { settings: NoticeSettings }) {
  const trpc = useTRPC()
  const { run, isPending } = useAction(trpc.account.notifications.change.mutationOptions(), {
    done: 'Saved.',
    failed: 'Your notifications were not changed',
    refresh: trpc.account.notifications.pathKey(),
  })
  return (
    <Stack gap="md">
      {notices.map(({ name, label, description }) => (
        <Switch
          key={name}
          label={label}
          description={description}
          checked={settings[name]}
          disabled={isPending}
          onChange={(event) => void run({ [name]: event.currentTarget.checked })}
        />
      ))}
    </Stack>
  )
}

/** Notices go to confirmed addresses alone: whoever only claims one may not be its reader. */
function Unconfirmed() {
  const { email_verified } = useAccount()
  if (email_verified) return null
  return (
    <Notice tone="warn">
      Your address is not confirmed, so none of these is sent.{' '}
      <Anchor component={Link} to="/account/sign-in">
        Confirm it
      </Anchor>
    </Notice>
  )
}
