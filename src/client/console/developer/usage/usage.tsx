import { SegmentedControl, Stack } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { useTRPC } from '../../app/api.ts'
import type { Outputs } from '../../app/session.tsx'
import { Loaded } from '../../components/feedback/loaded.tsx'
import { Previous } from '../../components/feedback/previous.tsx'
import { useApplication } from '../applications/application.tsx'
import { DeliveryLatency } from './delivery-latency.tsx'
import { Operations } from './operations.tsx'
import { RateLimit } from './rate-limit.tsx'
import { Requests } from './requests.tsx'

export type UsageFigures = Outputs['usage']['get']

const REFRESH_MS = 15_000

const spans = [
  { value: 'day', label: '24 hours' },
  { value: 'month', label: '30 days' },
]

/** How much an application calls the API and how its receivers answer. The period is part of the address. */
export function Usage() {
  const trpc = useTRPC()
  const { id: application_id } = useApplication()
  const [search, setSearch] = useSearchParams()
  const span = search.get('span') === 'month' ? 'month' : 'day'
  const query = useQuery(
    trpc.usage.get.queryOptions(
      { application_id, span },
      { refetchInterval: REFRESH_MS, placeholderData: keepPreviousData },
    ),
  )
  return (
    <Stack gap="lg">
      <SegmentedControl
        className="spans"
        aria-label="How far back"
        data={spans}
        value={span}
        onChange={(value) => setSearch(value === 'day' ? {} : { span: value }, { replace: true })}
      />
      <Loaded query={query} lines={5}>
        {(usage) => (
          <Previous isShown={query.isPlaceholderData}>
            <Stack gap="lg">
              <Requests usage={usage} />
              <Operations operations={usage.operations} />
              <DeliveryLatency usage={usage} />
              <RateLimit rateLimit={usage.rate_limit} />
            </Stack>
          </Previous>
        )}
      </Loaded>
    </Stack>
  )
}
