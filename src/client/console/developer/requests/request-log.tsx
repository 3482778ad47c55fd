import { Text } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import { Empty } from '../../components/feedback/empty.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Previous } from '../../components/feedback/previous.tsx'
import { More } from '../../components/more.tsx'
import { byCursor, itemsOf } from '../../components/pages.ts'
import { Section } from '../../components/section.tsx'
import { useApplication } from '../applications/application.tsx'
import { ExplainRequest } from './explain-request.tsx'
import { Failures } from './failures.tsx'
import { FilterInputs } from './filter-inputs.tsx'
import { readRequestFilters } from './request-filters.ts'
import { RequestRow } from './request-row.tsx'
import { useKeyNames } from './use-key-names.ts'

const REFRESH_MS = 15_000

/** What an application asked in the last seven days, and what it was answered. The filters are part of the address. */
export function RequestLog() {
  const trpc = useTRPC()
  const { id: application_id } = useApplication()
  const [search] = useSearchParams()
  const filters = readRequestFilters(search)
  const keyNames = useKeyNames(application_id)
  const { from, to } = filters
  const period = { application_id, ...(from && { from }), ...(to && { to }) }
  const summary = useQuery(trpc.requests.summary.queryOptions(period, { refetchInterval: REFRESH_MS }))
  const requests = useInfiniteQuery(
    trpc.requests.list.infiniteQueryOptions(
      { application_id, limit: 25, ...filters },
      { ...byCursor, placeholderData: keepPreviousData },
    ),
  )
  return (
    <>
      <Failures query={summary} onRenew={() => void requests.refetch()} />
      <Section
        title="Requests"
        intro="The last seven days: every request that failed, and a sample of the others. They appear here within seconds."
      >
        <FilterInputs groups={summary.data?.groups ?? []} keyNames={keyNames} />
        <Loaded query={requests}>
          {(found) => {
            const items = itemsOf(found)
            if (items.length === 0 && !requests.hasNextPage) return <NoRequests isFiltered={search.size > 0} />
            return (
              <Previous isShown={requests.isPlaceholderData}>
                <ul className="rows">
                  {items.map((request) => (
                    <RequestRow key={request.id} request={request} keyNames={keyNames} />
                  ))}
                </ul>
                {requests.hasNextPage && items.length === 0 && (
                  <Text size="sm" c="dimmed" role="status">
                    Nothing among the newest. There is more to look through.
                  </Text>
                )}
              </Previous>
            )
          }}
        </Loaded>
        <More query={requests} />
      </Section>
      <Section title="One answer" intro="Why it was so, by the X-Request-Id that it had.">
        <ExplainRequest />
      </Section>
    </>
  )
}

function NoRequests({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="Nothing like that">No request of the last seven days fits these filters.</Empty>
  return (
    <Empty title="No requests yet">
      As soon as the application calls the API, what it was answered is shown here, with the reason of every failure.
    </Empty>
  )
}
