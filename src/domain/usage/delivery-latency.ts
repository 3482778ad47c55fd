import type { Database } from '../../db/client.ts'
import { statement } from '../../db/statement.ts'
import { lowerBound } from '../core/ids.ts'
import { type UsagePeriod, usagePeriods } from './steps.ts'

/** Enough for a stable percentile, few enough to be read during a request. */
const SAMPLE_OF_STEP = 300
/** The subscriptions that delivered last represent the others; a busy application has thousands. */
const SAMPLED_SUBSCRIPTIONS = 20

export type Latency = { sampled: number; p50_ms: number | null; p95_ms: number | null }
type Found = Latency & { n: number | null }

const subscriptionsOf = statement<[clientId: string, limit: number], { id: string }>(`
select id from webhook_subscriptions where client_id = $1 and deleted_at is null
 order by greatest(last_success_at, first_failure_at) desc nulls last, id desc limit $2::int`)

const selectLatency = statement<
  [from: readonly string[], to: readonly string[], subscriptions: readonly string[], sample: number],
  Found
>(`
select step.n::int, count(*)::int as sampled,
       percentile_cont(0.5) within group (order by ms)::float8 as p50_ms,
       percentile_cont(0.95) within group (order by ms)::float8 as p95_ms
  from unnest($1::text[], $2::text[]) with ordinality as step (low, high, n)
 cross join unnest($3::text[]) as subscription (id)
 cross join lateral (
   select id, created_at from webhook_deliveries_done
    where subscription_id = subscription.id and id >= step.low and id < step.high
    order by id desc limit $4::int) as delivery
  join webhook_attempts attempt on attempt.delivery_id = delivery.id and attempt.n = 1
 cross join lateral (
   select extract(epoch from attempt.started_at - delivery.created_at) * 1000 + attempt.duration_ms as ms) as taken
 group by grouping sets ((step.n), ())`)

/**
 * The time from an event to the end of its first attempt, successful or not: later attempts tell how long a receiver was
 * down, not how fast it is. For all steps together, and for each.
 */
export async function deliveryLatency(db: Database, clientId: string, span: UsagePeriod, steps: readonly Date[]) {
  const subscriptions = (await subscriptionsOf(db, clientId, SAMPLED_SUBSCRIPTIONS)).map(({ id }) => id)
  const bounds = (atMs: number) => lowerBound('delivery', new Date(atMs))
  const found =
    subscriptions.length === 0
      ? []
      : await selectLatency(
          db,
          steps.map((at) => bounds(at.getTime())),
          steps.map((at) => bounds(at.getTime() + usagePeriods[span].stepMs)),
          subscriptions,
          Math.ceil(SAMPLE_OF_STEP / subscriptions.length),
        )
  const latencyOf = (n: number | null): Latency => {
    const { sampled = 0, p50_ms = null, p95_ms = null } = found.find((one) => one.n === n) ?? {}
    return { sampled, p50_ms: rounded(p50_ms), p95_ms: rounded(p95_ms) }
  }
  return { whole: latencyOf(null), steps: steps.map((_, i) => latencyOf(i + 1)) }
}

const rounded = (ms: number | null) => (ms === null ? null : Math.max(Math.round(ms), 0)) // the clocks of two machines may differ
