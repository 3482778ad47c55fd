import { within } from '../../../time/within.ts'
import type { Context } from '../../core/context.ts'
import { drainMails } from '../../mail/work-mails.ts'
import { workDeliveries } from './work.ts'

export const BUDGET_MS = 25_000
/** After that no mail is begun. */
const MAIL_BUDGET_MS = 10_000

/**
 * One call of the cron operation: claims for 10 s, then waits for what it began, and sends mails meanwhile. It ends within
 * 25 s, earlier when the process stops.
 */
export async function workByCron(ctx: Context) {
  const [counts] = await Promise.all([
    workDeliveries(ctx, { budgetMs: BUDGET_MS, signal: ctx.stopping }),
    within(BUDGET_MS, sendMails(ctx), () => {}),
  ])
  return { ok: true as const, ...counts }
}

/** Deliveries are not to fail with it: the next call tries again. */
async function sendMails(ctx: Context): Promise<void> {
  try {
    await drainMails(ctx, MAIL_BUDGET_MS)
  } catch (error) {
    ctx.log.error({ err: error }, 'Mails could not be sent')
  }
}
