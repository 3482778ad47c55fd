import { statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'

/** What this process has done since it started. No label ever holds an address. */
export const mailMetrics = {
  /** `mail_attempts_total{outcome}` */
  attempts: { sent: 0, retried: 0, given_up: 0 },
  /** `mail_suppressed_total`: one too many within the hour, or switched off. */
  suppressed: 0,
}

/** `mail_unsent`, and `mail_oldest_unsent_seconds`: how long the oldest of them waits, tried or not. */
export type MailQueueMetrics = { unsent: number; oldest_s: number }

const selectUnsent = statement<[], MailQueueMetrics>(`
  select count(*)::int as unsent, coalesce(extract(epoch from statement_timestamp() - min(queued_at)), 0)::float8 as oldest_s
    from mails where due_at is not null`)

/** What only the database knows about the mails of all processes. */
export async function mailQueueMetrics({ slow }: Pick<Context, 'slow'>): Promise<MailQueueMetrics> {
  const [found] = await selectUnsent(slow)
  return found ?? { unsent: 0, oldest_s: 0 }
}
