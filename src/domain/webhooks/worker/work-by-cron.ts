import type { Context } from '../../core/context.ts'
import { workDeliveries } from './work.ts'

export const BUDGET_MS = 25_000

/**
 * One call of the cron operation: claims for 10 s, then waits for what it began. It ends within 25 s, earlier when the
 * process stops.
 */
export async function workByCron(ctx: Context) {
  return { ok: true as const, ...(await workDeliveries(ctx, { budgetMs: BUDGET_MS, signal: ctx.stopping })) }
}
