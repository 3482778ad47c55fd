import { Anchor, Group } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import { Empty } from '../../components/feedback/empty.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { More } from '../../components/more.tsx'
import { byCursor, itemsOf } from '../../components/pages.ts'
import { Section } from '../../components/section.tsx'
import { CreateWebhook, WebhookRow } from '../webhooks/webhooks.tsx'
import { useApplication, useMayDevelop } from './application.tsx'

/** The subscriptions of an application, those of its users too, with what they are like at the moment. */
export function ApplicationWebhooks() {
  const trpc = useTRPC()
  const { id: application_id } = useApplication()
  const mayDevelop = useMayDevelop()
  const query = useInfiniteQuery(trpc.webhooks.list.infiniteQueryOptions({ application_id, limit: 50 }, byCursor))
  return (
    <Section
      title="Webhooks"
      intro="Where its events go: its own subscriptions, which hear every channel, and those that it made for its users."
      actions={
        <Group gap="md">
          <Anchor component={Link} to={`/developer/deliveries?application=${application_id}`} size="sm">
            All deliveries
          </Anchor>
          {mayDevelop && <CreateWebhook application={application_id} />}
        </Group>
      }
    >
      <Loaded query={query}>
        {(found) => {
          const webhooks = itemsOf(found)
          if (webhooks.length === 0) {
            return <Empty title="No subscription yet">Say where events should go, and which ones.</Empty>
          }
          return (
            <ul className="rows">
              {webhooks.map((webhook) => (
                <WebhookRow key={webhook.id} webhook={webhook} />
              ))}
            </ul>
          )
        }}
      </Loaded>
      <More query={query} />
    </Section>
  )
}
