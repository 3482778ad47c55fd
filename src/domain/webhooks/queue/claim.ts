import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { transact } from '../../core/transaction.ts'
import { FAILURES_TO_OPEN } from './circuit-breaker.ts'
import { type Pace, paceOf } from './pace.ts'

/** Twice the deadline of an attempt. When a worker dies, its rows can be claimed again after this. */
export const LEASE_S = 30
/** Attempts in flight for all applications of one account, in the whole cluster: half of a process's slots. */
export const OWNER_IN_FLIGHT_MAX = 64
/** The same for an account that is younger than a week: a crowd of fresh accounts gets no further than a few old ones. */
const NEW_OWNER_IN_FLIGHT_MAX = 16
const NEW_OWNER_DAYS = 7
/** 0: first attempts and single redeliveries. 1: retries and replays. */
export type Lane = 0 | 1

export type Claimed = {
  id: string
  event_id: string
  type: string
  subscription_id: string
  lane: Lane
  attempts: number
  claims: number
  pace: Pace
  lease: string
  /** When the event happened, in milliseconds since 1970. */
  created_ms: number
}

/** The subscription behind which the next claim of a lane continues, so that all are served in turn; '' begins anew. */
export type Cursor = string
/**
 * `slow`, `unproven`: how many of the rows may be for receivers of that pace; by default all. A process bounds those in
 * its own slots, so no receiver that is known to be fast waits for one that is not, however many processes there are.
 */
export type ClaimRequest = {
  lane: Lane
  limit: number
  after: Cursor
  scan?: number
  perOwner?: number
  slow?: number
  unproven?: number
}
export type Claim = {
  rows: Claimed[]
  next: Cursor
  /** The database's clock when the rows were claimed, in milliseconds since 1970. */
  databaseMs: number
}

type Row = (Claimed | { id: null }) & { scanned_to: string | null; scanned: number; database_ms: number }

/** Also taken by whoever must know that no claim is half done (see delete.ts of the subscriptions). */
export const takeClaimLock = statement<[], unknown>(
  `select pg_advisory_xact_lock(hashtextextended('webhook claim', 0))`,
)

/**
 * A fair choice among the due rows of a lane, leased. Times are judged by `statement_timestamp()`: `now()` is the start of
 * the transaction, which was before the wait for the lock.
 */
const claimRows = statement<
  [lane: number, limit: number, after: string, scan: number, perOwner: number, slow: number, unproven: number],
  Row
>(`
with recursive
-- in flight: every leased row whose lease has not ended yet, counted by subscription and by the owner of its application
in_flight as materialized (
  select subscription_id, count(*)::int as n from webhook_deliveries
  where lease is not null and due_at > statement_timestamp() group by subscription_id
), in_flight_by_owner as materialized (
  -- an application that nobody owns is an owner of its own
  select coalesce(c.owner_id, c.id) as owner_id, sum(in_flight.n)::int as n from in_flight
  join webhook_subscriptions s on s.id = in_flight.subscription_id join clients c on c.id = s.client_id
  group by 1
),
-- one visit per subscription with pending rows, however many rows it has (a loose index scan), beginning behind the cursor
scan (id, n) as (
  (select subscription_id, 1 from webhook_deliveries where lane = $1::smallint and subscription_id > $3
    order by subscription_id limit 1)
  union all
  select (select d.subscription_id from webhook_deliveries d
    where d.lane = $1::smallint and d.subscription_id > scan.id order by d.subscription_id limit 1), scan.n + 1
  from scan where scan.id is not null and scan.n < $4::int
),
-- the oldest due rows of each visited subscription, with their place in it and among those of its owner
ranked as materialized (
  select due.id, s.id as subscription_id, due.place, due.due_at, ${paceOf('s.attempt_ms')} as pace,
    row_number() over (partition by coalesce(c.owner_id, c.id) order by due.place, due.due_at) as owner_turn,
    coalesce(o.n, 0) as owner_in_flight,
    case when owner.created_at > statement_timestamp() - interval '${NEW_OWNER_DAYS} days'
      then least($5::int, ${NEW_OWNER_IN_FLIGHT_MAX}) else $5::int end as owner_cap
  from scan
  -- only where something may be sent now: the breaker is closed, or it is time for a probe
  join webhook_subscriptions s on s.id = scan.id and s.status = 'enabled' and s.deleted_at is null
    and (s.open_until is null or s.open_until <= statement_timestamp())
    -- nothing for a stopped application or a closed account, whoever has enabled or replayed what
    and (select disabled_at from users where users.id = s.user_id) is null
  join clients c on c.id = s.client_id and c.disabled_at is null
  left join users owner on owner.id = c.owner_id
  left join in_flight on in_flight.subscription_id = s.id
  left join in_flight_by_owner o on o.owner_id = coalesce(c.owner_id, c.id)
  cross join lateral (
    select oldest.id, oldest.due_at, row_number() over (order by oldest.due_at, oldest.id) as place from (
      select d.id, d.due_at from webhook_deliveries d
      -- rows are compared as a whole, so that each subscription is one range of the index
      where (d.lane, d.subscription_id, d.due_at) between ($1::smallint, s.id, '-infinity')
        and ($1::smallint, s.id, statement_timestamp())
      order by d.lane, d.subscription_id, d.due_at
      -- a share of the limit, and no more than the window of the subscription leaves free; a probe goes alone
      limit least(
        greatest(4, 2 * $2::int / (select count(*) from scan)),
        greatest(0, (case when s.consecutive_failures >= ${FAILURES_TO_OPEN} then 1 else s.send_window end)
          - coalesce(in_flight.n, 0)))
    ) oldest
  ) due
),
-- no owner beyond its cap; among slow and among unproven receivers the owners take turns, so that none takes all places
allowed as (
  select id, subscription_id, place, pace,
    row_number() over (partition by pace order by place, owner_turn, due_at) as pace_place
  from ranked where owner_turn + owner_in_flight <= owner_cap
),
-- the first row of every subscription before the second of any; a bound that the limit keeps anyway changes no order
chosen as (
  select id, pace from allowed
  cross join lateral (select case pace when 'slow' then $6::int when 'unproven' then $7::int else $2::int end as places) bound
  where pace_place <= places or places >= $2::int
  order by place, subscription_id limit $2::int
),
-- locked in the order of the identifiers; what another statement has locked is left to it
mine as materialized (
  select d.id, chosen.pace from webhook_deliveries d join chosen on chosen.id = d.id
  -- still due after the lock? the interval keeps this from using the index of due times: a generic plan that was made for
  -- an empty queue would read everything due again for each subscription
  where d.due_at + interval '0' <= statement_timestamp() order by d.id for update of d skip locked
), claimed as (
  update webhook_deliveries d
  set due_at = statement_timestamp() + interval '${LEASE_S} s', lease = gen_random_uuid(), claims = d.claims + 1
  from mine where d.id = mine.id
  returning d.id, d.event_id, d.type, d.subscription_id, d.lane, d.attempts, d.claims, mine.pace, d.lease,
    (extract(epoch from d.created_at) * 1000)::float8 as created_ms
)
-- one row at least, also when nothing was claimed: it tells how far the scan came
select claimed.*, seen.last as scanned_to, seen.n as scanned,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as database_ms
from (select max(id) as last, count(id)::int as n from scan) seen left join claimed on true`)

/**
 * Leases due deliveries of one lane to this caller, at most `limit`, fairly. The lock is a statement of its own in the same
 * transaction, so the snapshot of the second is taken after the wait for it: that makes the caps of subscriptions and
 * owners exact in the whole cluster.
 */
export async function claimDue(ctx: Context, request: ClaimRequest): Promise<Claim> {
  const { lane, limit, after, scan = Math.max(20, limit) } = request
  const { perOwner = OWNER_IN_FLIGHT_MAX, slow = limit, unproven = limit } = request
  const [, found] = await transact(ctx, ({ db }) =>
    // sent together, in one round trip: the server runs one after the other
    Promise.all([takeClaimLock(db), claimRows(db, lane, limit, after, scan, perOwner, slow, unproven)]),
  )
  const rows = found.filter(isClaimed)
  return { rows, next: nextCursor(rows, found[0], { limit, scan }), databaseMs: found[0]?.database_ms ?? Number.NaN }
}

const isClaimed = (row: Row): row is Row & Claimed => row.id !== null

/**
 * A claim that reached its limit continues behind the last subscription that it served, any other behind the last that it
 * visited: either rule alone would starve somebody. When the scan has reached the end, the next claim begins anew.
 */
function nextCursor(rows: Claimed[], seen: Row | undefined, { limit, scan }: { limit: number; scan: number }): Cursor {
  if (rows.length === limit) {
    const served = rows.map((row) => row.subscription_id).toSorted()
    return served.at(-1) ?? ''
  }
  return seen?.scanned === scan ? (seen.scanned_to ?? '') : ''
}
