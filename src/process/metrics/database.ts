import { countConnections } from '../../db/connections.ts'
import { clockAheadMs } from '../../db/database-time.ts'
import { partitionsUntil } from '../../db/partitions.ts'
import type { Context } from '../../domain/core/context.ts'
import { relayLag } from '../../domain/events/relay.ts'
import { CLOCK_OFF_MS_MAX } from '../../domain/health.ts'
import { encoderMetrics } from '../../domain/ingest/encoder-metrics.ts'
import { mailQueueMetrics } from '../../domain/mail/metrics.ts'
import { queueMetrics } from '../../domain/webhooks/queue/queue-metrics.ts'
import { natsMetrics } from '../../nats/metrics.ts'
import { Metrics, type Sample } from '../../telemetry/metrics.ts'
import { within } from '../../time/within.ts'

const ANSWER_MS = 2_000

type Readings = Awaited<ReturnType<typeof read>>

/**
 * What only the database knows, about all processes together; read once per scrape by one process. Without an answer within
 * 2 s there is `database_up 0` alone.
 */
export async function collectDatabaseMetrics(ctx: Context | undefined) {
  const readings = ctx && (await readInTime(ctx))
  const metrics = new Metrics()
  const gauge = (name: string, help: string, samples: Sample[]) =>
    metrics.mirror({ name, help, type: 'gauge', aggregator: 'max', read: () => samples })
  gauge('database_up', '1 while the database answers', [{ value: readings ? 1 : 0 }])
  if (readings) for (const [name, [help, samples]] of Object.entries(describe(readings))) gauge(name, help, samples)
  return metrics.collect()
}

function describe({
  queue,
  connections,
  partitionsAheadS,
  clockOffS,
  relayLagEvents,
  mail,
  encoders,
}: Readings): Record<string, [help: string, samples: Sample[]]> {
  const one = (value: number): Sample[] => [{ value }]
  return {
    webhook_due_lag_seconds: ['How long the oldest first attempt has waited for us alone', one(queue.due_lag_s)],
    webhook_retry_lag_seconds: ['The same of what is tried or sent again', one(queue.retry_lag_s)],
    webhook_pending: [
      'Deliveries that wait, by lane',
      [
        { value: queue.pending_first, labels: { lane: 'first' } },
        { value: queue.pending_retries, labels: { lane: 'retries' } },
      ],
    ],
    ingest_encoders: ['Encoders that publish', one(encoders.publishing)],
    ingest_lapse_lag_seconds: [
      'How long the oldest stream is overdue whose encoder has gone',
      one(encoders.lapse_lag_s),
    ],
    thumbnail_due_lag_seconds: [
      'How long the oldest picture is overdue; nothing where none are taken',
      encoders.frame_lag_s === undefined ? [] : one(encoders.frame_lag_s),
    ],
    webhook_open_breakers: ['Subscriptions that are left alone for a while', one(queue.open_breakers)],
    webhook_owners_at_cap: ['Accounts that have as much in flight as they may', one(queue.owners_at_cap)],
    webhook_oldest_xmin_age: ['Seconds since the oldest open transaction began', one(queue.oldest_xmin_age_s)],
    webhook_dead_tuples: ['Dead rows of the queue', one(queue.dead_tuples)],
    database_partitions_ahead_seconds: [
      'For how long from now every row finds its partition, up to the first gap; a week, less the time since the last maintenance',
      one(partitionsAheadS),
    ],
    clock_off_seconds: [
      `How far the clocks of this machine and of the database are apart; from ${CLOCK_OFF_MS_MAX / 1000} on it is not ready`,
      one(clockOffS),
    ],
    mail_unsent: ['Mails that wait, for their first attempt or another', one(mail.unsent)],
    mail_oldest_unsent_seconds: ['How long the oldest of them has waited', one(mail.oldest_s)],
    event_relay_lag: [
      'Events that are not relayed to NATS yet; nothing without NATS_URL',
      relayLagEvents === undefined ? [] : one(relayLagEvents),
    ],
    database_connections: [
      'Connections of all processes, by client and state',
      connections.map(({ name, state, count }) => ({ value: count, labels: { client: name, state } })),
    ],
  }
}

async function readInTime(ctx: Context): Promise<Readings | undefined> {
  try {
    return await within(ANSWER_MS, read(ctx), () => undefined)
  } catch (error) {
    ctx.log.debug({ err: error }, 'Database metrics could not be read')
    return undefined
  }
}

async function read(ctx: Context) {
  const [queue, connections, until, aheadMs, relayLagEvents, mail, encoders] = await Promise.all([
    queueMetrics(ctx),
    countConnections(ctx.slow),
    partitionsUntil(ctx.slow, ctx.now()),
    clockAheadMs(ctx.slow),
    natsMetrics.isUsed ? relayLag(ctx.slow) : undefined,
    mailQueueMetrics(ctx),
    encoderMetrics(ctx),
  ])
  const partitionsAheadS = (until.getTime() - ctx.now().getTime()) / 1000
  return { queue, connections, partitionsAheadS, clockOffS: Math.abs(aheadMs) / 1000, relayLagEvents, mail, encoders }
}
