import { setTimeout as after } from 'node:timers/promises'
import { isRetryable, isUnavailable } from '../../db/db-error.ts'
import { EdgeLogger } from '../../telemetry/edge-logger.ts'
import { within } from '../../time/within.ts'
import type { Context } from '../core/context.ts'
import { sendDueMails } from './send-due.ts'

const POLL_MS = 1_000
/** What is being sent when the process stops may go on for so long; after that its lease has to end. */
const STOP_MS = 8_000

/** Sends mails as they become due, until `signal`. No error ends it: it waits out restarts of the database. */
export async function workMails(ctx: Context, signal: AbortSignal): Promise<void> {
  const edge = new EdgeLogger(ctx.log, { down: 'Sending of mails interrupted', up: 'Sending of mails resumed' })
  const stopped = after(2 ** 31 - 1, undefined, { signal, ref: false }).catch(() => {})
  while (!signal.aborted) {
    const sending = sendOnce(ctx, edge)
    await Promise.race([sending, stopped])
    if (signal.aborted) return within(STOP_MS, sending, () => {}).then(() => {})
    if ((await sending) === 0) await after(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

async function sendOnce(ctx: Context, edge: EdgeLogger): Promise<number> {
  try {
    const claimed = await sendDueMails(ctx)
    edge.up()
    return claimed
  } catch (error) {
    edge.down({ err: error }, isUnavailable(error) || isRetryable(error) ? 'warn' : 'error')
    return 0
  }
}

/** Sends what is due now, for the cron operation, until nothing is left or `budgetMs` have passed. */
export async function drainMails(ctx: Context, budgetMs: number): Promise<void> {
  const end = performance.now() + budgetMs
  while (performance.now() < end && (await sendDueMails(ctx)) > 0);
}
