import { statement } from '../../../db/statement.ts'
import { isHearing, subscriptionOf } from '../../events/consent.ts'
import { paceOf } from '../../events/receiver-pace.ts'
import { FAILURES_TO_OPEN } from './circuit-breaker.ts'
import { hasRoom, isIdle, restEnd } from './idle-receivers.ts'
import { inFlight, isWithinUnprovenShare, ownerCap, slowShare } from './owner-share.ts'

// The plan of this statement is made once for a connection, maybe while the queue is empty, maybe without statistics, and must
// do for a million rows. So every look-up of a row by its key is a lateral subquery, which is planned as nothing else, and
// each range of the queue fits one index alone. test/database/plans/claim.test.ts looks at all these plans.

/** Twice the deadline of an attempt. When a worker dies, its rows can be claimed again after this. */
export const LEASE_S = 30

/** `pace`: the number of its receiver's pace now. `file`, `owner_id`: under what it was filed. */
export type ClaimedRow = {
  id: string
  event_id: string
  type: string
  subscription_id: string
  lane: 0 | 1
  attempts: number
  claims: number
  pace: number
  file: number
  owner_id: string
  lease: string
  /** When the event happened, in milliseconds since 1970. */
  created_ms: number
  /** Whether only we have kept it waiting since it happened: neither a rest of its receiver, nor what that is slow to take, nor its owner's share. */
  waited_for_us: boolean
  /** Whether its receiver has as much in flight as it may, with it: what comes now waits for the receiver. */
  fills_window: boolean
}
/** `scanned`, as JSON: of each file that has something behind its cursor, the last visit and how many there were. */
type Row = (ClaimedRow | { id: null }) & { scanned: string | null; database_ms: number }

type Values = [
  lane: number,
  limit: number,
  /** What is looked through, and behind which owner and subscription. */
  files: string[],
  afterOwners: string[],
  afterSubscriptions: string[],
  /** The paces that have places, and how many. */
  paces: string[],
  places: string[],
  scan: number,
  perOwner: number,
]

/** Who has all that they may have, by file: of such an owner no subscription is visited. */
const owners = `
files as (
  select * from unnest($3::text[]::smallint[], $4::text[], $5::text[]) t (file, owner_id, id)
), places as (
  select * from unnest($6::text[]::smallint[], $7::text[]::int[]) t (pace, n)
), owners as materialized (
  select o.*, ${ownerCap('users.created_at', '$9::int')} as cap from in_flight_by_owner o
  left join lateral (select created_at from users where users.id = o.owner_id limit 1) users on true
), full_owners as materialized (
  select files.file, owners.owner_id from files cross join owners where owners.n >= owners.cap
    or files.file = 2 and owners.slow >= ${slowShare('owners.cap')}
    or files.file = 1 and not ${isWithinUnprovenShare('owners.unproven + 1', '(select n - 1 from places where pace = 1)')}
)`

/** The next subscription with pending rows of a file: one probe of an index, however many rows it has. */
const next = (file: string, owner: string, id: string) => `
  cross join lateral (
    select d.owner_id, d.subscription_id as id from webhook_deliveries d
    where d.lane = $1::smallint and d.pace = ${file} and (d.owner_id, d.subscription_id) > (${owner}, ${id})
    order by d.owner_id, d.subscription_id limit 1) next`
const isFull = (file: string) => `(${file}, next.owner_id) in (select file, owner_id from full_owners)`

/** One visit per subscription and per owner who is passed over (a loose index scan), in each file beginning behind its cursor. */
const scan = `
scan (file, owner_id, id, is_full, n) as (
  select files.file, next.owner_id, next.id, ${isFull('files.file')}, 1
  from files ${next('files.file', 'files.owner_id collate "C"', 'files.id collate "C"')}
  union all
  select scan.file, next.owner_id, next.id, ${isFull('scan.file')}, scan.n + 1
  from scan ${next('scan.file', 'scan.owner_id', `case when scan.is_full then '~' else scan.id end`)}
  where scan.n < $8::int
)`

/** Where something may be sent now, and as what: of a pace that has places, its breaker closed, or it is time for a probe. */
const receivers = `
receivers as materialized (
  select scan.file, scan.owner_id as filed_owner_id, scan.id, places.pace, places.n as places,
    -- what its window leaves free; a probe goes alone
    (case when s.consecutive_failures >= ${FAILURES_TO_OPEN} then 1 else s.send_window end) - coalesce(in_flight.n, 0) as free,
    coalesce(c.owner_id, c.id) as owner_id, coalesce(o.n, 0) as owner_in_flight, coalesce(o.slow, 0) as owner_slow,
    coalesce(o.unproven, 0) as owner_unproven, ${ownerCap('owner.created_at', '$9::int')} as owner_cap,
    ${isIdle('s', 'in_flight.n')} as is_idle, ${restEnd('s')} as rest_end
  from scan
  cross join lateral (
    select s.* from ${subscriptionOf('scan.id')} s where ${isHearing('s')}
      and (s.open_until is null or s.open_until <= statement_timestamp())
      -- nothing for a stopped application or a closed account, whoever has enabled or replayed what
      and (select disabled_at from users where users.id = s.user_id) is null limit 1) s
  join places on places.pace = ${paceOf('s.attempt_ms')}
  cross join lateral (select id, owner_id from clients where id = s.client_id and disabled_at is null limit 1) c
  left join lateral (select created_at from users where users.id = c.owner_id limit 1) owner on true
  left join owners o on o.owner_id = coalesce(c.owner_id, c.id)
  left join in_flight on in_flight.id = scan.id
  where not scan.is_full
)`

/** The oldest due rows of each, with their place in it: a share of the limit, and no more than its window leaves free. */
const candidates = `
candidates as materialized (
  select due.*, r.*, row_number() over (partition by r.id order by due.due_at, due.delivery_id) as place
  from receivers r cross join lateral (
    select d.id as delivery_id, d.due_at from webhook_deliveries d
    where d.lane = $1::smallint and d.pace = r.file and d.owner_id = r.filed_owner_id
      -- compared as a whole, so that each subscription is one range of the index
      and (d.subscription_id, d.due_at) between (r.id, '-infinity') and (r.id, statement_timestamp())
    order by d.subscription_id, d.due_at
    limit least(1 + 2 * $2::int / (select count(*) from receivers), greatest(0, r.free))
  ) due
)`

/**
 * No owner gets beyond its cap, nor its slow receivers beyond their share of it, and no pace beyond its places, of which the
 * owners take turns. Owners are counted by pace first: a row whose pace then has no place must not take another's turn.
 */
const chosen = `
turns as (
  select *, row_number() over (partition by owner_id, pace order by place, due_at) as turn from candidates where place <= free
), within_owner as (
  select *, row_number() over (
    partition by pace order by case when pace = 1 then turn + owner_unproven end, place, turn, due_at) as pace_place
  from turns
  where turn + owner_in_flight <= owner_cap and (pace <> 2 or turn + owner_slow <= ${slowShare('owner_cap')})
), within_pace as (
  select *, row_number() over (partition by owner_id order by place, pace, due_at) as owner_place from within_owner
  -- a bound that the limit keeps anyway changes no order
  where (pace_place <= places or places >= $2::int)
    and (pace <> 1 or ${isWithinUnprovenShare('turn + owner_unproven', 'places - pace_place')})
),
-- the first row of every subscription before the second of any
chosen as (
  select delivery_id, pace, rest_end, place = free as fills_window,
    place = 1 and is_idle and ${hasRoom({ n: 'owner_in_flight', unproven: 'owner_unproven', cap: 'owner_cap', pace: 'pace' })} as is_next
  from within_pace where owner_place + owner_in_flight <= owner_cap
  order by place, filed_owner_id, id limit $2::int
)`

/** Locked in the order of the identifiers; what another statement has locked is left to it. */
const claimed = `
mine as materialized (
  select d.id, one.pace, one.is_next, one.fills_window, one.rest_end from (select * from chosen order by delivery_id) one cross join lateral (
    select d.id from webhook_deliveries d
    -- still due after the lock? the interval keeps this from using the index of due times
    where d.id = one.delivery_id and d.due_at + interval '0' <= statement_timestamp() for update skip locked) d
), claimed as (
  update webhook_deliveries d
  set due_at = statement_timestamp() + interval '${LEASE_S} s', lease = gen_random_uuid(), claims = d.claims + 1
  where d.id = any (array(select id from mine))
  returning d.id, d.event_id, d.type, d.subscription_id, d.lane, d.attempts, d.claims, d.pace as file, d.owner_id, d.lease,
    (extract(epoch from d.created_at) * 1000)::float8 as created_ms
)`

/**
 * A fair choice among the due rows of a lane, leased. Times are judged by `statement_timestamp()`: `now()` is the start of
 * the transaction, which was before the wait for the lock. One row at least, also when nothing was claimed: it tells how far
 * the scan came.
 */
export const claimRows = statement<Values, Row>(`
with recursive ${[inFlight, owners, scan, receivers, candidates, chosen, claimed].join(',')}
select claimed.*, mine.pace, mine.fills_window, mine.is_next and coalesce(to_timestamp(claimed.created_ms / 1000) >= mine.rest_end, true) as waited_for_us,
  seen.scanned, (extract(epoch from clock_timestamp()) * 1000)::float8 as database_ms
from (
  select json_object_agg(file, json_build_object('owner', owner_id, 'subscription', id, 'visited', n))::text as scanned
  from (select distinct on (file) * from scan order by file, n desc) last
) seen left join (claimed join mine using (id)) on true`)
