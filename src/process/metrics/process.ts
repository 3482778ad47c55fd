import { poolSizes } from '../../db/pools.ts'
import { deliveryMetrics } from '../../domain/webhooks/worker/metrics.ts'
import type { LoadLimit } from '../../rest/http/load-limit.ts'
import type { Mirrored, Sample } from '../../telemetry/metrics.ts'
import { statementsInFlight } from './statements.ts'

/** Requests that this process is answering. */
export const requestMetrics = (loadLimit: LoadLimit): Mirrored[] => [
  gauge('http_requests_in_flight', 'Requests being answered', () => [{ value: loadLimit.requests }]),
  gauge('http_streams_open', 'Streams of live updates', () => [{ value: loadLimit.streams }]),
]

/** Statements and connections of this process. */
export const poolMetrics = (): Mirrored[] => [
  gauge('database_statements_in_flight', 'Statements that are not answered yet, by pool', () =>
    byLabel('pool', statementsInFlight),
  ),
  gauge('database_pool_connections_max', 'Connections that a pool may open', () => byLabel('pool', poolSizes)),
]

/** Deliveries of this process: by its worker, the cron endpoint or the command line. */
export const deliveryMetricMirrors = (): Mirrored[] => [
  gauge('webhook_in_flight', 'Attempts being made', () => [{ value: deliveryMetrics.inFlight }]),
  counter('webhook_attempts_total', 'Attempts by what became of the delivery', () =>
    byLabel('outcome', deliveryMetrics.attempts),
  ),
  counter('webhook_disabled_total', 'Subscriptions that an attempt disabled', () =>
    byLabel('reason', deliveryMetrics.disabled),
  ),
  counter('webhook_lost_leases_total', 'Results that came when somebody else held the lease', () => [
    { value: deliveryMetrics.lostLeases },
  ]),
  counter('webhook_settle_retries_total', 'Settlements that were tried again', () => [
    { value: deliveryMetrics.settleRetries },
  ]),
  histogram('webhook_attempt_seconds', 'How long attempts took', deliveryMetrics.attemptS),
  histogram(
    'webhook_publish_to_arrival_seconds',
    'From an event to its first attempt',
    deliveryMetrics.publishToArrivalS,
  ),
]

type Read = () => Sample[]
type Durations = typeof deliveryMetrics.attemptS
const gauge = (name: string, help: string, read: Read): Mirrored => ({ name, help, type: 'gauge', read })
const counter = (name: string, help: string, read: Read): Mirrored => ({ name, help, type: 'counter', read })
const histogram = (name: string, help: string, durations: Durations): Mirrored => ({
  name,
  help,
  type: 'histogram',
  read: () => samplesOf(name, durations),
})

const byLabel = (label: string, values: Record<string, number>): Sample[] =>
  Object.entries(values).map(([name, value]) => ({ value, labels: { [label]: name } }))

/** Buckets of Prometheus are cumulative. */
function samplesOf(name: string, { counts, boundsS, sumS, count }: Durations): Sample[] {
  let sum = 0
  const buckets = counts.map((one, index) => {
    sum += one
    return { value: sum, labels: { le: String(boundsS[index] ?? '+Inf') }, metricName: `${name}_bucket` }
  })
  return [...buckets, { value: sumS, metricName: `${name}_sum` }, { value: count, metricName: `${name}_count` }]
}
