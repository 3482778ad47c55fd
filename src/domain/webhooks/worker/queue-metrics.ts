import type { Database } from '../../../db/client.ts'
import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { deliveryMetrics } from './metrics.ts'

export type QueueMetrics = {
  /** `webhook_due_lag_seconds`: how long the oldest row waits that could be claimed. */
  due_lag_s: number
  /** `webhook_pending{lane}` */
  pending_first: number
  pending_retries: number
  /** `webhook_open_breakers` */
  open_breakers: number
  /** `webhook_oldest_xmin_age`: seconds since the oldest transaction began; one left open slows every claim. */
  oldest_xmin_age_s: number
  /** `webhook_dead_tuples` of the queue. */
  dead_tuples: number
}

const selectSurvey = statement<[], QueueMetrics>(`
with recursive scan (lane, id) as (
  (select lane, subscription_id from webhook_deliveries order by lane, subscription_id limit 1)
  union all
  select later.lane, later.subscription_id from scan cross join lateral (
    select d.lane, d.subscription_id from webhook_deliveries d
    where (d.lane, d.subscription_id) > (scan.lane, scan.id) order by d.lane, d.subscription_id limit 1) later
), oldest as (
  select min(due.due_at) as due_at from scan
  join webhook_subscriptions s on s.id = scan.id and s.status = 'enabled' and s.deleted_at is null
    and (s.open_until is null or s.open_until <= statement_timestamp())
  cross join lateral (
    select d.due_at from webhook_deliveries d where d.lane = scan.lane and d.subscription_id = scan.id
      and d.due_at <= statement_timestamp() order by d.due_at limit 1) due
)
select coalesce(extract(epoch from statement_timestamp() - (select due_at from oldest)), 0)::float8 as due_lag_s,
  (select count(*) from webhook_deliveries where lane = 0)::int as pending_first,
  (select count(*) from webhook_deliveries where lane = 1)::int as pending_retries,
  (select count(*) from webhook_subscriptions where open_until > statement_timestamp() and deleted_at is null)::int as open_breakers,
  coalesce((select extract(epoch from statement_timestamp() - min(xact_start)) from pg_stat_activity
    where (backend_xmin is not null or backend_xid is not null) and datname = current_database()), 0)::float8 as oldest_xmin_age_s,
  coalesce((select n_dead_tup from pg_stat_user_tables where relname = 'webhook_deliveries'), 0)::int as dead_tuples`)

/** What only the database can say of all deliveries. Reads the whole queue: for a scrape now and then, not for each request. */
export async function queueMetrics({ slow }: Pick<Context, 'slow'>): Promise<QueueMetrics> {
  const [survey] = await selectSurvey(slow)
  if (!survey) throw new Error('A select without a table returned no row')
  return survey
}

const KEPT_MS = 5_000
const shown = new WeakMap<Database, { survey: Promise<QueueMetrics>; until: number }>()

/** The state of delivery for a status page; asked of the database at most every five seconds. */
export async function deliveryStatus(ctx: Context) {
  const now = performance.now()
  const known = shown.get(ctx.slow)
  const current = known && known.until > now ? known : { survey: queueMetrics(ctx), until: now + KEPT_MS }
  shown.set(ctx.slow, current)
  const { due_lag_s } = await current.survey
  const { publishToArrivalS: arrival } = deliveryMetrics
  const finite = (seconds: number | null) => (Number.isFinite(seconds) ? seconds : null)
  return {
    due_lag_s,
    publish_to_arrival_p50_s: finite(arrival.quantileS(0.5)),
    publish_to_arrival_p95_s: finite(arrival.quantileS(0.95)),
  }
}
