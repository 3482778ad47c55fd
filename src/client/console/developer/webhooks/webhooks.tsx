import { Anchor, Button, Group, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import type { Outputs } from '../../app/session.tsx'
import { Empty } from '../../components/feedback/empty.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Icon } from '../../components/icon.tsx'
import { Instant } from '../../components/instant.tsx'
import { More } from '../../components/more.tsx'
import { isolated, Name } from '../../components/name.tsx'
import { Page } from '../../components/page.tsx'
import { byCursor, itemsOf } from '../../components/pages.ts'
import { Section } from '../../components/section.tsx'
import { NextAttempt } from '../deliveries/next-attempt.tsx'
import { useApplications, useDevelopedApplications } from '../use-applications.ts'
import { WebhookStatus } from './webhook-status.tsx'

export type Webhook = Outputs['webhooks']['list']['items'][number]

export function Webhooks() {
  const trpc = useTRPC()
  const { data: developed = [] } = useDevelopedApplications()
  const { data: all = [] } = useApplications()
  const mayCreate = developed.length > 0 || all.length === 0 // whoever has none is led to make one
  const query = useInfiniteQuery(trpc.webhooks.list.infiniteQueryOptions({}, byCursor))
  return (
    <Page
      title="Webhooks"
      intro="A subscription sends events to an address of yours as they happen: signed, repeated for days when it fails, and recorded."
      actions={mayCreate && <CreateWebhook />}
    >
      <Loaded query={query}>{(found) => <WebhookList webhooks={itemsOf(found)} mayCreate={mayCreate} />}</Loaded>
      <More query={query} />
    </Page>
  )
}

export const CreateWebhook = ({ application }: { application?: string }) => (
  <Button
    component={Link}
    to={`/developer/webhooks/new${application ? `?application=${application}` : ''}`}
    leftSection={<Icon shape="plus" />}
  >
    Create subscription
  </Button>
)

function WebhookList({ webhooks, mayCreate }: { webhooks: Webhook[]; mayCreate: boolean }) {
  const { data: applications = [] } = useApplications()
  if (webhooks.length === 0) {
    return (
      <Empty title="No subscription yet" action={mayCreate && <CreateWebhook />}>
        Say where events should go and which ones. You get a signing secret, and can send a test at once.
      </Empty>
    )
  }
  return (
    <Section title="Subscriptions of your applications">
      <ul className="rows">
        {webhooks.map((webhook) => (
          <WebhookRow
            key={webhook.id}
            webhook={webhook}
            application={applications.find(({ id }) => id === webhook.application_id)?.name}
          />
        ))}
      </ul>
    </Section>
  )
}

export function WebhookRow({ webhook, application }: { webhook: Webhook; application?: string | undefined }) {
  const { id, url, user_id, description, event_types, last_success_at } = webhook
  const count = event_types.length === 1 ? '1 event type' : `${event_types.length} event types`
  return (
    <li className="row">
      <div className="row-main">
        <Anchor component={Link} to={`/developer/webhooks/${id}`} fw={600} className="breakable">
          {url}
        </Anchor>
        {description && (
          <Text size="sm">
            <Name>{description}</Name>
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {application && `${isolated(application)} · `}
          {user_id !== null && 'one channel · '}
          {count}
          {last_success_at && (
            <>
              {' '}
              · last success <Instant at={last_success_at} />
            </>
          )}
        </Text>
      </div>
      <Group gap="md">
        <RowStatus webhook={webhook} />
      </Group>
    </li>
  )
}

/** Its state, and when the next attempt is made of what is tried again. */
function RowStatus({ webhook }: { webhook: Webhook }) {
  const { failing_since, next_attempt_at } = webhook
  return (
    <div>
      <WebhookStatus webhook={webhook} />
      {failing_since && next_attempt_at && (
        <Text size="xs" c="dimmed">
          <NextAttempt at={next_attempt_at} />
        </Text>
      )}
    </div>
  )
}
