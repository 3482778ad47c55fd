import type { webhookDeliveriesDone } from '../../../db/schema/index.ts'
import { statement } from '../../../db/statement.ts'
import type { ActorContext } from '../../core/context.ts'
import { hastenWaiting } from '../queue/hasten.ts'
import {
  boundsOf,
  channelsOf,
  isBeingSent,
  isMissed,
  type MatchingValues,
  matchingEvents,
  type TimeRange,
} from '../subscriptions/matching-events.ts'
import { requireEnabled, requireOwnedSubscription } from '../subscriptions/ownership.ts'

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

const CHUNK_ROWS = 1_000

type Candidate = { key: string; delivery_id: string; event_id: string; type: string; occurred_at: string }

const failedDeliveries = `
select x.id as key, x.id as delivery_id, x.event_id, x.type, x.created_at as occurred_at from webhook_deliveries_done x
where x.subscription_id = $1 and x.outcome = 'failed' and x.reason is distinct from 'test'
  -- always true: the statements about events use these values
  and $2::text[] is not null and $3::text is not null and x.id > $4 and x.id < $5
order by x.id limit $6::int`

const candidatesIn = (text: string) => statement<MatchingValues, Candidate>(text)
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
  insert into webhook_deliveries (id, event_id, type, subscription_id, lane, due_at, created_at)
  select id, event_id, type, $1, 1, statement_timestamp(), occurred_at::timestamptz
  from unnest($2::text[], $3::text[], $4::text[], $5::text[]) t (id, event_id, type, occurred_at)
  -- a delivery whose outcome has changed since it was selected stays where it is
  where id in (select id from removed) or id not in (select id from finished)
  on conflict (id) do nothing returning id
)
select count(*)::int as queued from queued`)

/**
 * Queues up to 1,000 deliveries again, behind first attempts: the same id and bytes, ten new attempts. `all` also
 * hastens what waits for its next attempt. To be called with
 * `next` until that is null; doing it twice is harmless. Throws `subscription_not_found`, `invalid_request` while disabled.
 */
export async function replayDeliveries(ctx: ActorContext, request: ReplayRequest): Promise<ReplayProgress> {
  const subscription = await requireOwnedSubscription(ctx, request.subscription)
  requireEnabled(subscription)
  const { only } = request
  const bounds = await boundsOf(ctx, subscription, request, only === 'failed' ? 'delivery' : 'event')
  const candidates = await selectCandidates[only][channelsOf(subscription)](ctx.slow, ...bounds, CHUNK_ROWS)
  const all = (column: keyof Candidate) => candidates.map((row) => row[column])
  const [chunk] = await queueRows(
    ctx.slow,
    subscription.id,
    all('delivery_id'),
    all('event_id'),
    all('type'),
    all('occurred_at'),
    replayableOutcomes[only],
  )
  const hastened = only === 'all' ? await hastenWaiting(ctx.slow, all('delivery_id')) : []
  ctx.wake()
  return {
    queued: chunk?.queued ?? 0,
    hastened: hastened.length,
    next: candidates.length === CHUNK_ROWS ? (candidates.at(-1)?.key ?? null) : null,
  }
}
