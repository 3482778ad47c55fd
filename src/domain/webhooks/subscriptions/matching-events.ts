import { DAY_MS } from '../../../time/durations.ts'
import type { ActorContext } from '../../core/context.ts'
import { isId, lowerBound } from '../../core/ids.ts'
import { Problem } from '../../core/problem.ts'
import { deliveryId } from '../../events/emit-sql.ts'
import { allowedSince } from './grant-coverage.ts'
import type { OwnedSubscription } from './ownership.ts'
import { parseTime } from './time-field.ts'

const KEPT_MS = 30 * DAY_MS

/** The values of a statement about what a subscription asks for; `after` and `before` are bounds of identifiers. */
export type MatchingValues = [...Bounds, limit: number]
type Bounds = [subscriptionId: string, types: string[], channelId: string, after: string, before: string]

/** SQL conditions for the events of a subscription: of its user's channel, or of every channel when it has no user. */
const channelIs = { one: 'channel_id = $3', all: `$3 = '*'` } as const

export const channelsOf = ({ userId }: OwnedSubscription): 'one' | 'all' => (userId === null ? 'all' : 'one')

/** An SQL condition for `matchingEvents`: the event was never sent to the subscription, nor given up. */
export const isMissed = `not exists (
  select from webhook_deliveries_done x where x.id = e.delivery_id and x.outcome in ('delivered', 'failed'))`

/** An SQL condition for `matchingEvents`: what waits for its next attempt is not on its way. */
export const isBeingSent = '(d.lease is not null or d.due_at <= statement_timestamp())'

/**
 * The common table expressions `visited`, the next events of the channels of a subscription, oldest first, and `matching`, those
 * of them that it asks for; `isWanted` is a condition on `e`. What is on its way already is left out: whatever is in the
 * queue, unless `isOnItsWay`, a condition on `d`, says otherwise. The limit is for what is visited, so that it bounds the
 * work of a statement whatever became of the events.
 */
export const matchingEvents = (channels: 'one' | 'all', isWanted: string, isOnItsWay = 'true') => `
visited as materialized (
  select id, type, sequence, occurred_at from events
  where ${channelIs[channels]} and id > $4 and id < $5 order by id limit $6::int
), matching as (
  select e.id as key, e.delivery_id, e.id as event_id, e.type, e.occurred_at from (
    -- sequence 0 is a test, which was for one subscription alone
    select *, ${deliveryId('id', '$1')} as delivery_id from visited where type = any($2::text[]) and sequence > 0
  ) e
  where not exists (select from webhook_deliveries d where d.id = e.delivery_id and ${isOnItsWay}) and ${isWanted}
)`

/** How far a statement came: `last` is null when it visited nothing, and there is more when it visited as many as it might. */
export type Visited = { visited: number; last: string | null }
export const howFar = '(select count(*)::int as visited, max(id) as last from visited) far'

export type TimeRange = {
  /** RFC 3339; by default all that is kept. */
  from?: string | undefined
  to?: string | undefined
  /** The identifier of the last event or delivery that was dealt with. */
  after?: string | undefined
}

/**
 * A range of time as bounds of identifiers of events or deliveries. It is cut to what is kept, to the life of the
 * subscription, and to the time since its user has allowed it without a break. Throws `invalid_request`.
 */
export async function boundsOf(
  ctx: ActorContext,
  subscription: OwnedSubscription,
  range: TimeRange,
  kind: 'event' | 'delivery',
): Promise<Bounds> {
  const { id, eventTypes, userId, createdAt } = subscription
  const now = ctx.now().getTime()
  const allowed = await allowedSince(ctx, subscription)
  const earliest = Math.max(parseTime('from', range.from) ?? 0, createdAt.getTime(), now - KEPT_MS, allowed)
  const first = lowerBound(kind, new Date(Math.min(earliest, now + 1)))
  const to = parseTime('to', range.to) ?? now + 1
  const { after } = range
  if (after !== undefined && !isId(kind, after))
    throw new Problem('invalid_request', 'after: is not the `next` of a replay.')
  const start = after !== undefined && after > first ? after : first
  return [id, eventTypes, userId ?? '*', start, lowerBound(kind, new Date(to))]
}
