import { DISABLE_AFTER_DAYS } from '../../../shared/delivery.ts'

// SQL about a subscription whose row `s` stands for, for whatever shows its health

/** Its owner is warned once a day has passed without a success. */
const isWarned = (s: string) =>
  `${s}.status = 'enabled' and ${s}.first_failure_at <= statement_timestamp() - interval '1 day'`

/** For how many days no attempt has succeeded; null before the first has passed. */
export const warningDays = (s: string): string =>
  `case when ${isWarned(s)} then extract(day from statement_timestamp() - ${s}.first_failure_at)::int end`

/** From when on a failed attempt disables it; null before the first day has passed. */
export const disablesAt = (s: string): string =>
  `case when ${isWarned(s)} then ${s}.first_failure_at + interval '${DISABLE_AFTER_DAYS} days' end`

type Some = { lane: 0 | 1; order: 'asc' | 'desc'; limit: number }

/** What waits to be sent to it, as `id, due_at`. */
export const pendingOf = (s: string, { lane, order, limit }: Some): string =>
  `(select id, due_at from webhook_deliveries where lane = ${lane} and subscription_id = ${s}.id order by due_at ${order} limit ${limit})`

/** When the next attempt is made; null while nothing waits. */
export const nextAttemptAt = (s: string): string => {
  const next = { order: 'asc', limit: 1 } as const
  return `(select greatest(min(due_at), ${s}.open_until)
   from (${pendingOf(s, { lane: 0, ...next })} union all ${pendingOf(s, { lane: 1, ...next })}) as waiting
   where ${s}.status = 'enabled' having min(due_at) is not null)`
}
