import * as z from 'zod'
import type { Database } from '../../../db/client.ts'
import type { Context } from '../../core/context.ts'
import { type QueueMetrics, queueMetrics } from '../queue/queue-metrics.ts'
import { deliveryMetrics } from './metrics.ts'

/** How promptly events are delivered, over all applications: what the status page shows to everybody. */
export const DeliveryStatus = z.object({
  due_lag_s: z.number(),
  publish_to_arrival_p50_s: z.number().nullable(),
  publish_to_arrival_p95_s: z.number().nullable(),
})
type DeliveryStatus = z.output<typeof DeliveryStatus>

const CACHED_MS = 5_000
const cache = new WeakMap<Database, { metrics: Promise<QueueMetrics>; until: number }>()

/** Asks the database at most once every five seconds. The quantiles are those of this process, null without any delivery. */
export async function deliveryStatus(ctx: Context): Promise<DeliveryStatus> {
  const now = performance.now()
  const cached = cache.get(ctx.slow)
  const current = cached && cached.until > now ? cached : { metrics: queueMetrics(ctx), until: now + CACHED_MS }
  cache.set(ctx.slow, current)
  const { due_lag_s } = await current.metrics
  const { publishToArrivalS } = deliveryMetrics
  const finite = (seconds: number | null) => (Number.isFinite(seconds) ? seconds : null)
  return {
    due_lag_s,
    publish_to_arrival_p50_s: finite(publishToArrivalS.quantileS(0.5)),
    publish_to_arrival_p95_s: finite(publishToArrivalS.quantileS(0.95)),
  }
}
