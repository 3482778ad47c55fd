import * as z from 'zod'
import type { Database } from '../../../db/client.ts'
import type { Context } from '../../core/context.ts'
import { queueMetrics } from '../queue/queue-metrics.ts'
import { recentWaits } from './waits.ts'

/**
 * How promptly events are delivered, over all applications and processes: what the status page shows to everybody. The quantiles
 * are of the last five minutes, null without a delivery. What a receiver kept waiting, by a rest, by being slow or by all that is on its way to it,
 * counts for nothing.
 */
export const DeliveryStatus = z.object({
  due_lag_s: z.number(),
  retry_lag_s: z.number(),
  publish_to_arrival_p50_s: z.number().nullable(),
  publish_to_arrival_p95_s: z.number().nullable(),
})
type DeliveryStatus = z.output<typeof DeliveryStatus>

const CACHED_MS = 5_000
const cache = new WeakMap<Database, { status: Promise<DeliveryStatus>; until: number }>()

/** Asks the database at most once every five seconds. */
export async function deliveryStatus(ctx: Context): Promise<DeliveryStatus> {
  const now = performance.now()
  const cached = cache.get(ctx.slow)
  const current = cached && cached.until > now ? cached : { status: readStatus(ctx), until: now + CACHED_MS }
  cache.set(ctx.slow, current)
  return current.status
}

async function readStatus(ctx: Context): Promise<DeliveryStatus> {
  const [{ due_lag_s, retry_lag_s }, waits] = await Promise.all([queueMetrics(ctx), recentWaits(ctx, [0.5, 0.95])])
  const [p50 = null, p95 = null] = waits
  return { due_lag_s, retry_lag_s, publish_to_arrival_p50_s: p50, publish_to_arrival_p95_s: p95 }
}
