import { Anchor, Stack, Text } from '@mantine/core'
import { keepPreviousData, skipToken, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import { Empty } from '../../components/feedback/empty.tsx'
import { Live } from '../../components/feedback/live.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Previous } from '../../components/feedback/previous.tsx'
import { Problem } from '../../components/feedback/problem.tsx'
import { Instant } from '../../components/instant.tsx'
import { More } from '../../components/more.tsx'
import { Page } from '../../components/page.tsx'
import { byCursor, itemsOf } from '../../components/pages.ts'
import { Section } from '../../components/section.tsx'
import { useMay } from '../use-applications.ts'
import { DeliveryTable } from './delivery-table.tsx'
import { Filters } from './filters.tsx'
import { type LedgerFilters, readFilters } from './ledger-filters.ts'
import { Replay } from './replay.tsx'
import { useWatchedDeliveries } from './use-watched-deliveries.ts'

const PAGE = 50

/** Every delivery of the account's applications, newest first, updated live. The filters are part of the address. */
export function Ledger() {
  const [search] = useSearchParams()
  const filters = readFilters(search)
  const { webhooks, hasMore, isNone, chosen } = useChoices(filters)
  const mayReplay = useMay('developer', chosen.data?.application_id)
  return (
    <Page
      title="Deliveries"
      intro="One event for one subscription is a delivery; one POST is an attempt. Both are kept for 30 days."
    >
      {isNone ? (
        <NoSubscription />
      ) : (
        <Stack gap="lg">
          <Filters webhooks={webhooks} hasMore={hasMore} />
          {chosen.error ? (
            <Problem error={chosen.error} title="This subscription is not there" />
          ) : (
            <Deliveries filters={filters} />
          )}
          {chosen.data && mayReplay && <Replay webhook={chosen.data} />}
        </Stack>
      )}
    </Page>
  )
}

/** The subscriptions to choose from: the first hundred, and the chosen one, whichever it is. */
function useChoices({ application_id, subscription }: LedgerFilters) {
  const trpc = useTRPC()
  const list = useQuery(trpc.webhooks.list.queryOptions(application_id ? { application_id } : {}))
  const chosen = useQuery(trpc.webhooks.get.queryOptions(subscription ? { id: subscription } : skipToken))
  const { items: listed = [], next = null } = list.data ?? {}
  const others = chosen.data && !listed.some(({ id }) => id === subscription) ? [chosen.data] : []
  const isNone = list.isSuccess && listed.length === 0 && !application_id && !subscription
  return { webhooks: [...listed, ...others], hasMore: next !== null, isNone, chosen }
}

const NoSubscription = () => (
  <Empty title="No subscription, no delivery">
    <Anchor component={Link} to="/developer/webhooks/new">
      Create a subscription
    </Anchor>{' '}
    and its deliveries appear here, each with all its attempts.
  </Empty>
)

function Deliveries({ filters }: { filters: LedgerFilters }) {
  const trpc = useTRPC()
  const { application_id, subscription } = filters
  const asked = trpc.deliveries.list.infiniteQueryOptions(
    { limit: PAGE, ...filters },
    { ...byCursor, placeholderData: keepPreviousData },
  )
  const query = useInfiniteQuery(asked)
  const stream = useWatchedDeliveries({ subscription, application_id })
  const lookedBackTo = query.data?.pages.at(-1)?.looked_back_to
  return (
    <Section title="Ledger" actions={<Live status={stream} />}>
      <Loaded query={query} lines={5}>
        {(found) => (
          <Previous isShown={query.isPlaceholderData}>
            <DeliveryTable
              deliveries={itemsOf(found)}
              isFiltered={Object.keys(filters).length > 0}
              isOfSeveral={subscription === undefined}
            />
          </Previous>
        )}
      </Loaded>
      {lookedBackTo && (
        <Text size="sm" c="dimmed" role="status">
          Looked back to <Instant at={lookedBackTo} isAbsolute /> so far.
        </Text>
      )}
      <More query={query} />
    </Section>
  )
}
