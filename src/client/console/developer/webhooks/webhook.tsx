import { Button, Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import type { Outputs } from '../../app/session.tsx'
import { Live } from '../../components/feedback/live.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { notifyDone } from '../../components/feedback/notices.tsx'
import { useAction } from '../../components/forms/action.ts'
import { Page } from '../../components/page.tsx'
import { useWatchedDeliveries } from '../deliveries/use-watched-deliveries.ts'
import { useMay } from '../use-applications.ts'
import { RecentDeliveries } from './recent-deliveries.tsx'
import { SigningSecrets } from './signing-secrets.tsx'
import { TestSection } from './test-section.tsx'
import { WebhookFacts } from './webhook-facts.tsx'
import { WebhookNotice } from './webhook-status.tsx'

export type WebhookDetails = Outputs['webhooks']['get']

const above = [{ label: 'Webhooks', to: '/developer/webhooks' }]

/** One subscription: its state, what it sends where, and every action on it. */
export function WebhookPage() {
  const trpc = useTRPC()
  const { id = '' } = useParams()
  const query = useQuery(trpc.webhooks.get.queryOptions({ id }))
  const mayDevelop = useMay('developer', query.data?.application_id)
  const stream = useWatchedDeliveries(query.data && { subscription: query.data.id })
  return (
    <Page
      title={query.data?.url ?? 'Subscription'}
      above={above}
      intro={query.data?.description}
      actions={query.data && mayDevelop && <Actions webhook={query.data} />}
    >
      <Loaded query={query}>
        {(webhook) => (
          <Stack gap="lg">
            <WebhookNotice webhook={webhook} />
            <WebhookFacts webhook={webhook} live={<Live status={stream} />} />
            {mayDevelop && <TestSection webhook={webhook} />}
            <RecentDeliveries webhook={webhook} />
            <SigningSecrets webhook={webhook} mayRotate={mayDevelop} />
          </Stack>
        )}
      </Loaded>
    </Page>
  )
}

function Actions({ webhook }: { webhook: WebhookDetails }) {
  return (
    <Group gap="xs">
      <Button component={Link} to={`/developer/webhooks/${webhook.id}/edit`} variant="default">
        Edit
      </Button>
      {webhook.status === 'enabled' ? <Disable webhook={webhook} /> : <Enable webhook={webhook} />}
      <Delete webhook={webhook} />
    </Group>
  )
}

function Enable({ webhook: { id } }: { webhook: WebhookDetails }) {
  const trpc = useTRPC()
  const { run, isPending } = useAction(trpc.webhooks.enable.mutationOptions(), {
    failed: 'The subscription was not enabled',
    refresh: trpc.webhooks.pathKey(),
  })
  const enable = async () => {
    const enabled = await run({ id })
    if (enabled) notifyDone(wordsOf(enabled.output.missed))
  }
  return (
    <Button loading={isPending} onClick={() => void enable()}>
      Enable
    </Button>
  )
}

const wordsOf = (missed: number) =>
  missed === 0
    ? 'The subscription is enabled. It has missed nothing.'
    : `The subscription is enabled. It has missed ${missed} events: replay them from the ledger.`

function Disable({ webhook: { id } }: { webhook: WebhookDetails }) {
  const trpc = useTRPC()
  const { run, isPending } = useAction(trpc.webhooks.disable.mutationOptions(), {
    done: 'The subscription is disabled.',
    failed: 'The subscription was not disabled',
    refresh: trpc.webhooks.pathKey(),
  })
  return (
    <Button variant="default" loading={isPending} onClick={() => void run({ id })}>
      Disable
    </Button>
  )
}

function Delete({ webhook: { id, url } }: { webhook: WebhookDetails }) {
  const trpc = useTRPC()
  const navigate = useNavigate()
  const { run, isPending } = useAction(trpc.webhooks.delete.mutationOptions(), {
    done: 'The subscription is deleted.',
    failed: 'The subscription was not deleted',
    refresh: trpc.webhooks.list.pathKey(),
  })
  const body = `Nothing more is sent to ${url}, not even what is pending, and its signing secret is gone. This cannot be undone.`
  const question = { title: 'Delete this subscription?', body, action: 'Delete subscription' }
  const remove = async () => {
    if (await run({ id }, question)) await navigate('/developer/webhooks')
  }
  return (
    <Button variant="default" loading={isPending} onClick={() => void remove()}>
      Delete
    </Button>
  )
}
