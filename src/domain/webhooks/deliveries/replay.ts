import type { webhookDeliveriesDone } from '../../../db/schema/index.ts'
import { statement } from '../../../db/statement.ts'
import { isId, lowerBound } from '../../core/ids.ts'
import { Problem } from '../../core/problem.ts'
import { deliveryId } from '../../events/emit-sql.ts'
import { allowedSince } from '../subscriptions/grant-coverage.ts'
import {
  type OwnedSubscription,
  requireEnabled,
  requireOwnedSubscription,
  type SubscriptionOwnerContext,
} from '../subscriptions/ownership.ts'

/** `failed`: attempts used up or given up. `missed`: never tried to the end, as while disabled. `all`: everything again. */
export const replayKinds = ['failed', 'missed', 'all'] as const
export type ReplayKind = (typeof replayKinds)[number]

export type ReplayRequest = {
  subscription: string
  /** RFC 3339; by default all that is kept. */
  from?: string | undefined
  to?: string | undefined
  only: ReplayKind
  /** `next` of the chunk before. */
  after?: string | undefined
}
/** `next` is null when everything is queued. */
export type ReplayProgress = { queued: number; next: string | null }

type Outcome = (typeof webhookDeliveriesDone.$inferSelect)['outcome']
const tried: Outcome[] = ['delivered', 'failed']
const untried: Outcome[] = ['cancelled', 'held', 'expired']
/** What may be moved back. */
const replayed: Record<ReplayKind, Outcome[]> = { failed: ['failed'], missed: untried, all: [...tried, ...untried] }

const CHUNK_ROWS = 1_000
const KEPT_MS = 30 * 86_400_000
const COUNT_MAX = 10_000

type Values = [subscriptionId: string, types: string[], channelId: string, after: string, before: string, limit: number]

/** Events that the subscription asks for, of its lifetime, unless they are queued already. Tests (sequence 0) are nobody's. */
const matching = (channel: string, isWanted: string) => `
select e.id as key, e.delivery_id, e.id as event_id, e.type, e.occurred_at from (
  select id, type, occurred_at, ${deliveryId('id', '$1')} as delivery_id from events
  where ${channel} and type = any($2::text[]) and id > $4 and id < $5 and sequence > 0
) e
where not exists (select from webhook_deliveries d where d.id = e.delivery_id) and ${isWanted}
order by e.id limit $6::int`

const never = `not exists (select from webhook_deliveries_done x where x.id = e.delivery_id and x.outcome in ('${tried.join("', '")}'))`
const ofOne = 'channel_id = $3'
const ofAll = `$3 = '*'`

const failed = `
select x.id as key, x.id as delivery_id, x.event_id, x.type, x.created_at as occurred_at from webhook_deliveries_done x
where x.subscription_id = $1 and x.outcome = 'failed' and x.reason is distinct from 'test'
  and $2::text[] is not null and $3::text is not null and x.id > $4 and x.id < $5
order by x.id limit $6::int`

type Picked = { key: string; delivery_id: string; event_id: string; type: string; occurred_at: string }

/**
 * The row moves back: what was logged stays, and its number goes on. One whose outcome is another by now stays where it
 * is. Apart from the picking: see last-logged.ts.
 */
const queueRows = statement<
  [subscriptionId: string, ids: string[], eventIds: string[], types: string[], occurredAt: string[], from: Outcome[]],
  { queued: number }
>(`
with finished as (
  select id from webhook_deliveries_done where id = any($2::text[])
), removed as (
  delete from webhook_deliveries_done where id = any($2::text[]) and outcome = any($6::text[]) returning id
), queued as (
  insert into webhook_deliveries (id, event_id, type, subscription_id, lane, due_at, created_at)
  select id, event_id, type, $1, 1, statement_timestamp(), occurred_at::timestamptz
  from unnest($2::text[], $3::text[], $4::text[], $5::text[]) t (id, event_id, type, occurred_at)
  where id in (select id from removed) or id not in (select id from finished)
  on conflict (id) do nothing returning id
)
select count(*)::int as queued from queued`)

const pick = (picked: string) => statement<Values, Picked>(picked)
const pickChunk = {
  one: { failed: pick(failed), missed: pick(matching(ofOne, never)), all: pick(matching(ofOne, 'true')) },
  all: { failed: pick(failed), missed: pick(matching(ofAll, never)), all: pick(matching(ofAll, 'true')) },
}

/**
 * Queues up to 1,000 deliveries again, behind first attempts: the same id and bytes, ten new attempts. To be called with
 * `next` until that is null; doing it twice is harmless. Throws `subscription_not_found`, `invalid_request` while disabled.
 */
export async function replayDeliveries(ctx: SubscriptionOwnerContext, request: ReplayRequest): Promise<ReplayProgress> {
  const subscription = await requireOwnedSubscription(ctx, request.subscription)
  requireEnabled(subscription)
  const { only } = request
  const values = await valuesOf(ctx, subscription, request, only === 'failed' ? 'delivery' : 'event')
  const run = pickChunk[subscription.userId === null ? 'all' : 'one'][only]
  const picked = await run(ctx.slow, ...values, CHUNK_ROWS)
  const all = (column: keyof Picked) => picked.map((row) => row[column])
  const [chunk] = await queueRows(
    ctx.slow,
    subscription.id,
    all('delivery_id'),
    all('event_id'),
    all('type'),
    all('occurred_at'),
    replayed[only],
  )
  ctx.wake()
  return { queued: chunk?.queued ?? 0, next: picked.length === CHUNK_ROWS ? (picked.at(-1)?.key ?? null) : null }
}

const countRows = (picked: string) =>
  statement<Values, { n: number }>(`select count(*)::int as n from (${picked}) picked`)
const countOf = { one: countRows(matching(ofOne, never)), all: countRows(matching(ofAll, never)) }

/** How many events of the last 30 days a subscription never got; counting stops at 10,000. */
export async function countMissed(ctx: SubscriptionOwnerContext, subscription: OwnedSubscription): Promise<number> {
  const values = await valuesOf(ctx, subscription, {}, 'event')
  const [counted] = await countOf[subscription.userId === null ? 'all' : 'one'](ctx.slow, ...values, COUNT_MAX)
  return counted?.n ?? 0
}

type Span = Pick<ReplayRequest, 'from' | 'to' | 'after'>
type Bounds = [subscriptionId: string, types: string[], channelId: string, after: string, before: string]

/** Bounded by what is kept, by the life of the subscription, and by what its user allows: nothing that was said in between. */
async function valuesOf(
  ctx: SubscriptionOwnerContext,
  of: OwnedSubscription,
  span: Span,
  kind: 'event' | 'delivery',
): Promise<Bounds> {
  const now = ctx.now().getTime()
  const allowed = await allowedSince(ctx, of)
  const from = Math.min(
    Math.max(timeOf('from', span.from) ?? 0, of.createdAt.getTime(), now - KEPT_MS, allowed),
    now + 1,
  )
  const to = timeOf('to', span.to) ?? now + 1
  const { after } = span
  if (after !== undefined && !isId(kind, after))
    throw new Problem('invalid_request', 'after: is not the `next` of a replay.')
  const first = lowerBound(kind, new Date(from))
  const start = after !== undefined && after > first ? after : first
  return [of.id, of.eventTypes, of.userId ?? '*', start, lowerBound(kind, new Date(to))]
}

function timeOf(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = Date.parse(text)
  if (Number.isNaN(time) || time < 0) throw new Problem('invalid_request', `${field}: is not a time of RFC 3339.`)
  return time
}
