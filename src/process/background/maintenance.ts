import { maintainPartitions } from '../../db/partitions.ts'
import type { Context } from '../../domain/core/context.ts'
import { deleteExpired } from '../../domain/expiry.ts'
import { maintainDeliveries } from '../../domain/webhooks/worker/maintenance.ts'

const HOUR_MS = 3_600_000

/** What the database needs every hour: partitions for the days to come, and an end for what has expired. */
export function startMaintenance(ctx: Context): AsyncDisposable {
  const keep = async () => {
    try {
      await maintainDeliveries(ctx)
      await maintainPartitions(ctx.slow, ctx.now())
      await deleteExpired(ctx)
    } catch (error) {
      ctx.log.error({ err: error }, 'The hourly upkeep failed; it is tried again in an hour')
    }
  }
  let running = keep()
  const timer = setInterval(() => {
    running = keep()
  }, HOUR_MS)
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await running
    },
  }
}
