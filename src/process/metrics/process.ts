import { sharedCounterMetrics } from '../../counters/shared-counters.ts'
import { poolSizes } from '../../db/pools.ts'
import { tailMetrics } from '../../domain/events/tail/metrics.ts'
import { ingestMetrics } from '../../domain/ingest/metrics.ts'
import { mailMetrics } from '../../domain/mail/metrics.ts'
import { requestLogMetrics } from '../../domain/requests/metrics.ts'
import { deliveryMetrics } from '../../domain/webhooks/worker/metrics.ts'
import { natsMetrics } from '../../nats/metrics.ts'
import type { LoadLimit } from '../../rest/http/load-limit.ts'
import type { Durations } from '../../telemetry/durations.ts'
import type { Mirrored, Sample } from '../../telemetry/metrics.ts'
import { statementsInFlight, textsBarred } from './statements.ts'

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
  gauge(
    'database_statements_barred',
    'Statements, by their text, that are refused beyond their share of the connections',
    () => [{ value: textsBarred }],
  ),
  gauge('database_pool_connections_max', 'Connections that a pool may open', () => byLabel('pool', poolSizes)),
]

/** Rate limits of this process. */
export const counterMetrics = (): Mirrored[] => [
  gauge(
    'http_rate_limits_alone',
    'Processes that count rate limits alone, because what they share does not answer',
    () => [{ value: sharedCounterMetrics.areAway ? 1 : 0 }],
  ),
]

/** Mails of this process. */
export const mailMetricMirrors = (): Mirrored[] => [
  counter('mail_attempts_total', 'Attempts to send a mail, by what became of it', () =>
    byLabel('outcome', mailMetrics.attempts),
  ),
  counter('mail_suppressed_total', 'Mails that were not sent: one too many within the hour, or switched off', () => [
    { value: mailMetrics.suppressed },
  ]),
]

/** The broker that brings events to this process, where one is configured. */
export const brokerMetrics = (): Mirrored[] => [
  gauge('nats_away', 'Processes that read events from the database, because NATS does not answer', () => [
    { value: natsMetrics.isAway ? 1 : 0 },
  ]),
]

/** The log of requests of applications, written by this process. */
export const requestLogMetricMirrors = (): Mirrored[] => [
  counter('request_log_rows_total', 'Requests that were stored in the logs of applications', () => [
    { value: requestLogMetrics.rows },
  ]),
  counter('request_log_dropped_total', 'Requests that were not stored there, by why', () =>
    byLabel('reason', requestLogMetrics.dropped),
  ),
]

/** Encoders, where they are let in here. */
export const ingestMetricMirrors = (): Mirrored[] => [
  counter('ingest_calls_total', 'What media servers asked about encoders, by what became of it', () =>
    byLabel('outcome', ingestMetrics.calls),
  ),
  counter('thumbnail_pictures_total', 'Pictures of live streams, by whether they could be taken', () =>
    byLabel('outcome', ingestMetrics.pictures),
  ),
  histogram('thumbnail_picture_seconds', 'How long ffmpeg took for a picture', ingestMetrics.pictureS),
]

/** Live events in this process. */
export const tailMetricMirrors = (): Mirrored[] => [
  counter('event_tail_events_total', 'Events that were told to streams and those who wait', () => [
    { value: tailMetrics.events },
  ]),
  counter(
    'event_tail_fallbacks_total',
    'Times that a channel was read because no notification, or no broker, had told what was new',
    () => [{ value: tailMetrics.fallbacks }],
  ),
  histogram('event_tail_lag_seconds', 'From an event to when it is told', tailMetrics.lagS),
]

/** Deliveries of this process: by its worker, the cron endpoint or the command line. */
export const deliveryMetricMirrors = (): Mirrored[] => [
  gauge('webhook_in_flight', 'Attempts being made, by the pace of their receivers', () =>
    byLabel('pace', deliveryMetrics.inFlight),
  ),
  counter('webhook_attempts_total', 'Attempts by what became of the delivery', () =>
    byLabel('outcome', deliveryMetrics.attempts),
  ),
  counter('webhook_disabled_total', 'Subscriptions that an attempt disabled, or the end of their grant', () =>
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
    'From an event to its first attempt, where only we kept it waiting',
    deliveryMetrics.publishToArrivalS,
  ),
]

type Read = () => Sample[]
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
