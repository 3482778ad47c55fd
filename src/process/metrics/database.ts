import { setTimeout as after } from 'node:timers/promises'
import { countConnections } from '../../db/connections.ts'
import { partitionsUntil } from '../../db/partitions.ts'
import type { Context } from '../../domain/core/context.ts'
import { queueMetrics } from '../../domain/webhooks/queue/queue-metrics.ts'
import { Metrics, type Sample } from '../../telemetry/metrics.ts'

const ANSWER_MS = 2_000

type Reading = Awaited<ReturnType<typeof read>>

/**
 * What only the database knows, of all processes together: asked once a scrape, whichever process is asked. Without an
 * answer within 2 s `database_up` is 0 and stands alone.
 */
export async function collectDatabaseMetrics(ctx: Context | undefined) {
  const reading = ctx && (await readInTime(ctx))
  const metrics = new Metrics()
  const gauge = (name: string, help: string, samples: Sample[]) =>
    metrics.mirror({ name, help, type: 'gauge', aggregator: 'max', read: () => samples })
  gauge('database_up', '1 while the database answers', [{ value: reading ? 1 : 0 }])
  if (reading) for (const [name, [help, samples]] of Object.entries(describe(reading))) gauge(name, help, samples)
  return metrics.collect()
}

function describe({
  survey,
  connections,
  partitionsAheadS,
}: Reading): Record<string, [help: string, samples: Sample[]]> {
  const one = (value: number): Sample[] => [{ value }]
  return {
    webhook_due_lag_seconds: ['How long the oldest delivery waits that could be begun', one(survey.due_lag_s)],
    webhook_pending: [
      'Deliveries that wait, by lane',
      [
        { value: survey.pending_first, labels: { lane: 'first' } },
        { value: survey.pending_retries, labels: { lane: 'retries' } },
      ],
    ],
    webhook_open_breakers: ['Subscriptions that are left alone for a while', one(survey.open_breakers)],
    webhook_oldest_xmin_age: ['Seconds since the oldest open transaction began', one(survey.oldest_xmin_age_s)],
    webhook_dead_tuples: ['Dead rows of the queue', one(survey.dead_tuples)],
    database_partitions_ahead_seconds: [
      'For how long from now every row finds its partition; a week, less what has passed since the last upkeep',
      one(partitionsAheadS),
    ],
    database_connections: [
      'Connections of all processes, by client and state',
      connections.map(({ name, state, count }) => ({ value: count, labels: { client: name, state } })),
    ],
  }
}

async function readInTime(ctx: Context): Promise<Reading | undefined> {
  const stop = new AbortController()
  const silence = after(ANSWER_MS, undefined, { signal: stop.signal }).catch(() => undefined)
  try {
    return await Promise.race([read(ctx), silence])
  } catch (error) {
    ctx.log.debug({ err: error }, 'The database did not tell its figures')
    return undefined
  } finally {
    stop.abort()
  }
}

async function read(ctx: Context) {
  const [survey, connections, until] = await Promise.all([
    queueMetrics(ctx),
    countConnections(ctx.slow),
    partitionsUntil(ctx.slow),
  ])
  return { survey, connections, partitionsAheadS: (until.getTime() - ctx.now().getTime()) / 1000 }
}
