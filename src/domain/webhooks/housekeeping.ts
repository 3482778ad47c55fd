import type { Context } from '../context.ts'
import { sweepExpired } from './sweep.ts'

/** What is due every hour, before partitions are dropped. Safe in several processes at once. */
export async function keepDeliveries(ctx: Context): Promise<void> {
  await sweepExpired(ctx)
}
