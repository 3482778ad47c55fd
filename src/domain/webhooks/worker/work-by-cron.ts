import type { Context } from '../../core/context.ts'
import { workDeliveries } from './work.ts'

export const BUDGET_MS = 25_000

/** One call of the cron door: claims for 10 s, waits for what it began, and so answers within 25 s. A stop cuts it short. */
export async function workByCron(ctx: Context) {
  return { ok: true as const, ...(await workDeliveries(ctx, { budgetMs: BUDGET_MS, signal: ctx.stopping })) }
}
