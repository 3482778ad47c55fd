import { Anchor, Stack } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import { Empty } from '../../components/feedback/empty.tsx'
import { Live } from '../../components/feedback/live.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { More } from '../../components/more.tsx'
import { Page } from '../../components/page.tsx'
import { byCursor, itemsOf } from '../../components/pages.ts'
import { Section } from '../../components/section.tsx'
import type { Webhook } from '../webhooks/webhooks.tsx'
import { DeliveryTable } from './delivery-table.tsx'
import { Filters } from './filters.tsx'
import { readFilters } from './ledger-filters.ts'
import { Replay } from './replay.tsx'
import { useWatchedDeliveries } from './use-watched-deliveries.ts'

const PAGE = 50

/** Every delivery of a subscription, newest first, updated live. The filters are part of the address. */
export function Ledger() {
  const trpc = useTRPC()
  const webhooks = useQuery(trpc.webhooks.list.queryOptions({}, { select: ({ items }) => items }))
  return (
    <Page
      title="Deliveries"
      intro="One event for one subscription is a delivery; one POST is an attempt. Both are kept for 30 days."
    >
      <Loaded query={webhooks}>
        {(found) => (found.length === 0 ? <NoSubscription /> : <Deliveries webhooks={found} />)}
      </Loaded>
    </Page>
  )
}

const NoSubscription = () => (
  <Empty title="No subscription, no delivery">
    <Anchor component={Link} to="/developer/webhooks/new">
      Create a subscription
    </Anchor>{' '}
    and its deliveries appear here, each with all its attempts.
  </Empty>
)

function Deliveries({ webhooks }: { webhooks: Webhook[] }) {
  const trpc = useTRPC()
  const [search] = useSearchParams()
  const subscription = search.get('subscription') ?? webhooks[0]?.id ?? ''
  const filters = readFilters(search)
  const query = useInfiniteQuery(
    trpc.deliveries.list.infiniteQueryOptions({ subscription, limit: PAGE, ...filters }, byCursor),
  )
  const stream = useWatchedDeliveries(subscription)
  const webhook = webhooks.find(({ id }) => id === subscription)
  return (
    <Stack gap="lg">
      <Filters webhooks={webhooks} subscription={subscription} />
      <Section title="Ledger" actions={<Live status={stream} />}>
        <Loaded query={query} lines={5}>
          {(found) => <DeliveryTable deliveries={itemsOf(found)} isFiltered={Object.keys(filters).length > 0} />}
        </Loaded>
        <More query={query} />
      </Section>
      {webhook && <Replay webhook={webhook} />}
    </Stack>
  )
}
