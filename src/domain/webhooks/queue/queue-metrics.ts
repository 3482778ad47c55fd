import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { isHearing, subscriptionOf } from '../../events/consent.ts'
import { paceOf } from '../../events/receiver-pace.ts'
import { hasRoom, isIdle, restEnd } from './idle-receivers.ts'
import { inFlight, OWNER_IN_FLIGHT_MAX, ownerCap } from './owner-share.ts'
import { pendingScan } from './pending-scan.ts'

export type QueueMetrics = {
  /** `webhook_due_lag_seconds`: how long the oldest first attempt has waited for us alone. */
  due_lag_s: number
  /** `webhook_retry_lag_seconds`: how long the oldest retry, or replay, has been due and waited for us alone. */
  retry_lag_s: number
  /** `webhook_pending{lane}` */
  pending_first: number
  pending_retries: number
  /** `webhook_open_breakers` */
  open_breakers: number
  /** `webhook_owners_at_cap`: accounts that have as much in flight as they may. */
  owners_at_cap: number
  /** `webhook_oldest_xmin_age`: seconds since the oldest transaction began; one that stays open slows every claim. */
  oldest_xmin_age_s: number
  /** `webhook_dead_tuples` of the queue. */
  dead_tuples: number
}

const lagOf = (lane: 0 | 1) =>
  `coalesce(extract(epoch from statement_timestamp() - (select due_at from oldest where lane = ${lane})), 0)::float8`

/** With a value, because a statement without any keeps the plan that was made for it when the queue was empty. */
const selectMetrics = statement<[perOwner: number], QueueMetrics>(`
with recursive ${pendingScan}, ${inFlight}, oldest as (
  -- the oldest of each subscription that would take it at once, and that no rest has held up since it could first be sent
  select scan.lane, min(due.due_at) as due_at from scan
  join ${subscriptionOf('scan.id')} s on ${isHearing('s')}
    and (s.open_until is null or s.open_until <= statement_timestamp())
  cross join lateral (
    select d.due_at, d.created_at from webhook_deliveries d
    where d.lane = scan.lane and d.pace = scan.pace and d.owner_id = scan.owner_id and d.subscription_id = scan.id
      and d.due_at <= statement_timestamp() order by d.due_at limit 1) due
  left join in_flight on in_flight.id = scan.id
  left join in_flight_by_owner o on o.owner_id = scan.owner_id
  left join users on users.id = scan.owner_id
  where ${isIdle('s', 'in_flight.n')}
    and coalesce(case scan.lane when 0 then due.created_at else due.due_at end >= ${restEnd('s')}, true)
    and ${hasRoom({ n: 'o.n', unproven: 'o.unproven', cap: ownerCap('users.created_at', '$1::int'), pace: paceOf('s.attempt_ms') })}
  group by scan.lane
)
select ${lagOf(0)} as due_lag_s, ${lagOf(1)} as retry_lag_s,
  (select count(*) from webhook_deliveries where lane = 0)::int as pending_first,
  (select count(*) from webhook_deliveries where lane = 1)::int as pending_retries,
  (select count(*) from webhook_subscriptions where open_until > statement_timestamp() and deleted_at is null)::int as open_breakers,
  (select count(*) from in_flight_by_owner o left join users on users.id = o.owner_id
    where o.n >= ${ownerCap('users.created_at', '$1::int')})::int as owners_at_cap,
  -- only transactions that hold a snapshot or have written keep dead rows from being removed
  coalesce((select extract(epoch from statement_timestamp() - min(xact_start)) from pg_stat_activity
    where (backend_xmin is not null or backend_xid is not null) and datname = current_database()), 0)::float8 as oldest_xmin_age_s,
  coalesce((select n_dead_tup from pg_stat_user_tables where relname = 'webhook_deliveries'), 0)::int as dead_tuples`)

/** What only the database knows about all deliveries. Reads the whole queue, so ask once per scrape, not once per request. */
export async function queueMetrics({ slow }: Pick<Context, 'slow'>): Promise<QueueMetrics> {
  const [metrics] = await selectMetrics(slow, OWNER_IN_FLIGHT_MAX)
  if (!metrics) throw new Error('A select without a table returned no row')
  return metrics
}
