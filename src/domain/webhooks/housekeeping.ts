import { keepPartitions } from '../../db/partitions.ts'
import type { Context } from '../context.ts'
import { sweepExpired } from './sweep.ts'

/** What is due every hour. Safe in several processes at once. */
export async function keepDeliveries(ctx: Context): Promise<void> {
  await sweepExpired(ctx)
  await keepPartitions(ctx.slow, ctx.now())
}
