import type { webhookDeliveriesDone } from '../../../db/schema/index.ts'
import { statement } from '../../../db/statement.ts'
import type { ActorContext } from '../../core/context.ts'
import { takeTurn } from '../../core/turns/take-turn.ts'
import { fileOf, ownerOf } from '../../events/receiver-pace.ts'
import { hastenWaiting } from '../queue/hasten.ts'
import {
  boundsOf,
  channelsOf,
  howFar,
  isBeingSent,
  isMissed,
  type MatchingValues,
  matchingEvents,
  type TimeRange,
  type Visited,
} from '../subscriptions/matching-events.ts'
import { type OwnedSubscription, requireHearing, requireSubscription } from '../subscriptions/ownership.ts'

/** `failed`: attempts used up or given up. `missed`: never tried to the end, as while disabled. `all`: everything again. */
export const replayKinds = ['failed', 'missed', 'all'] as const
export type ReplayKind = (typeof replayKinds)[number]

/** `after` is `next` of the chunk before. */
export type ReplayRequest = TimeRange & { subscription: string; only: ReplayKind }
/** `hastened`: what waited for its next attempt and is due now, by `all` alone. `next` is null when everything is queued. */
export type ReplayProgress = { queued: number; hastened: number; next: string | null }

type DoneOutcome = (typeof webhookDeliveriesDone.$inferSelect)['outcome']
/** The outcomes from which a delivery may go back into the queue. */
const replayableOutcomes: Record<ReplayKind, DoneOutcome[]> = {
  failed: ['failed'],
  missed: ['cancelled', 'held', 'expired'],
  all: ['delivered', 'failed', 'cancelled', 'held', 'expired'],
}

/** How long a replay waits for its turn. */
const TURN_MS = 5_000
const CHUNK_ROWS = 1_000
/** For so long one call goes on through events of which none is to be sent again. */
const CALL_MS = 2_000

type Candidate = { key: string; delivery_id: string; event_id: string; type: string; occurred_at: string }
/** One row at least, also without a candidate: it tells how far the statement came. */
type Row = (Candidate | { key: null }) & Visited

const failedDeliveries = `
visited as materialized (
  select x.* from webhook_deliveries_done x
  where x.subscription_id = $1 and x.outcome = 'failed'
    -- always true: the statements about events use these values
    and $2::text[] is not null and $3::text is not null and x.id > $4 and x.id < $5
  order by x.id limit $6::int
), matching as (
  select id as key, id as delivery_id, event_id, type, created_at as occurred_at from visited
  where reason is distinct from 'test'
)`

const candidatesIn = (matching: string) =>
  statement<MatchingValues, Row>(`with ${matching} select matching.*, far.* from ${howFar} left join matching on true`)
const selectFailed = candidatesIn(failedDeliveries)
const selectCandidates = {
  failed: { one: selectFailed, all: selectFailed },
  missed: { one: candidatesIn(matchingEvents('one', isMissed)), all: candidatesIn(matchingEvents('all', isMissed)) },
  all: {
    one: candidatesIn(matchingEvents('one', 'true', isBeingSent)),
    all: candidatesIn(matchingEvents('all', 'true', isBeingSent)),
  },
}

/** Apart from the selection of the candidates, for the reason that last-attempt.ts gives. */
const queueRows = statement<
  [
    subscriptionId: string,
    ids: string[],
    eventIds: string[],
    types: string[],
    occurredAt: string[],
    outcomes: DoneOutcome[],
  ],
  { queued: number }
>(`
with finished as (
  select id from webhook_deliveries_done where id = any($2::text[])
), removed as (
  -- the row moves back to the queue; its attempts stay in the log, and their numbers go on
  delete from webhook_deliveries_done where id = any($2::text[]) and outcome = any($6::text[]) returning id
), queued as (
  insert into webhook_deliveries (id, event_id, type, subscription_id, owner_id, lane, pace, due_at, created_at)
  select t.id, event_id, type, s.id, ${ownerOf('s')}, 1, ${fileOf('s')}, statement_timestamp(), occurred_at::timestamptz
  from unnest($2::text[], $3::text[], $4::text[], $5::text[]) t (id, event_id, type, occurred_at)
  join webhook_subscriptions s on s.id = $1
  -- a delivery whose outcome has changed since it was selected stays where it is
  where t.id in (select id from removed) or t.id not in (select id from finished)
  on conflict (id) do nothing returning id
)
select count(*)::int as queued from queued`)

/**
 * Queues up to 1,000 deliveries again, behind first attempts: the same id and bytes, ten new attempts. `all` also
 * hastens what waits for its next attempt. Each statement looks at a thousand events at most, and a call at what it can in two
 * seconds, so that it may have queued none yet. To be called with `next` until that is null; doing it twice is harmless. Throws `subscription_not_found`, `invalid_request` while disabled,
 * `forbidden` once the user does not allow it any more, `rate_limited` where it was not the caller's turn within `turnMs`
 * (see `takeTurn`).
 */
export async function replayDeliveries(
  ctx: ActorContext,
  request: ReplayRequest,
  turnMs = TURN_MS,
): Promise<ReplayProgress> {
  const subscription = await requireSubscription(ctx, request.subscription)
  requireHearing(subscription)
  const options = { owner: subscription.ownerId, waitMs: turnMs }
  return takeTurn(ctx, () => replayChunk(ctx, subscription, request), options)
}

async function replayChunk(
  ctx: ActorContext,
  subscription: OwnedSubscription,
  request: ReplayRequest,
): Promise<ReplayProgress> {
  const { only } = request
  const [id, types, channel, start, end] = await boundsOf(
    ctx,
    subscription,
    request,
    only === 'failed' ? 'delivery' : 'event',
  )
  const select = selectCandidates[only][channelsOf(subscription)]
  const until = performance.now() + CALL_MS
  const done = { queued: 0, hastened: 0 }
  for (let after = start; ; ) {
    const limit = CHUNK_ROWS - done.queued - done.hastened
    const rows = await select(ctx.slow, id, types, channel, after, end, limit)
    const { queued, hastened } = await queueAgain(ctx, id, only, rows.filter(isCandidate))
    done.queued += queued
    done.hastened += hastened
    const [far] = rows
    if (!far?.last || far.visited < limit) return { ...done, next: null }
    if (done.queued + done.hastened >= CHUNK_ROWS || performance.now() > until) return { ...done, next: far.last }
    after = far.last
  }
}

const isCandidate = (row: Row): row is Candidate & Visited => row.key !== null

async function queueAgain(ctx: ActorContext, subscriptionId: string, only: ReplayKind, candidates: Candidate[]) {
  if (candidates.length === 0) return { queued: 0, hastened: 0 }
  const all = (column: keyof Candidate) => candidates.map((row) => row[column])
  const ids = all('delivery_id')
  const outcomes = replayableOutcomes[only]
  const values = [ids, all('event_id'), all('type'), all('occurred_at'), outcomes] as const
  const [chunk] = await queueRows(ctx.slow, subscriptionId, ...values)
  const hastened = only === 'all' ? await hastenWaiting(ctx.slow, ids) : []
  ctx.wake()
  return { queued: chunk?.queued ?? 0, hastened: hastened.length }
}
