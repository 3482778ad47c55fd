import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { transact } from '../../core/transaction.ts'

/** Twice the deadline of an attempt. A worker that dies gives its rows back by letting this pass. */
export const LEASE_S = 30
/** Attempts in flight for one application, in the whole cluster: half of a process's slots. */
export const APPLICATION_IN_FLIGHT_MAX = 64
/** Failures in a row after which a subscription rests and is then tried by one probe. */
export const FAILURES_TO_OPEN = 5

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
  lease: string
  /** When the event happened, in milliseconds since 1970. */
  created_ms: number
}

/** Where the next claim of a lane goes on, so that everybody is served in turn. */
export type Cursor = string
export type ClaimRequest = { lane: Lane; limit: number; after: Cursor; scan?: number; perApplication?: number }
export type Claim = {
  rows: Claimed[]
  next: Cursor
  /** The database's clock when the rows were claimed, in milliseconds since 1970. */
  databaseMs: number
}

type Row = (Claimed | { id: null }) & { scanned_to: string | null; scanned: number; database_ms: number }

/** Also taken by whoever must know that no claim is half done (see subscriptions.ts). */
export const takeClaimLock = statement<[], unknown>(
  `select pg_advisory_xact_lock(hashtextextended('webhook claim', 0))`,
)

/**
 * Everybody's first row before anybody's second. `scan` visits each subscription with pending rows once, however many
 * rows it has (a loose index scan), behind the cursor. In flight is every leased row whose lease lies ahead. Judged by
 * `statement_timestamp()`: `now()` is the transaction's start, before the wait for the lock. Rows are compared as a whole,
 * and `interval '0'` hides the second look from the index of due times: else a plan that was made for an empty queue reads
 * all that is due again for each subscription. Of a stopped application and a closed account nothing is claimed, whoever
 * enabled or replayed what.
 */
const claimRows = statement<[lane: number, limit: number, after: string, scan: number, perApplication: number], Row>(`
with recursive busy as materialized (
  select subscription_id, count(*)::int as n from webhook_deliveries
  where lease is not null and due_at > statement_timestamp() group by subscription_id
), busy_application as materialized (
  select s.client_id, sum(busy.n)::int as n from busy join webhook_subscriptions s on s.id = busy.subscription_id
  group by s.client_id
), scan (id, n) as (
  (select subscription_id, 1 from webhook_deliveries where lane = $1::smallint and subscription_id > $3
    order by subscription_id limit 1)
  union all
  select (select d.subscription_id from webhook_deliveries d
    where d.lane = $1::smallint and d.subscription_id > scan.id order by d.subscription_id limit 1), scan.n + 1
  from scan where scan.id is not null and scan.n < $4::int
), ranked as materialized (
  select due.id, s.id as subscription_id, due.place,
    row_number() over (partition by s.client_id order by due.place, due.due_at) + coalesce(a.n, 0) as application_place
  from scan
  join webhook_subscriptions s on s.id = scan.id and s.status = 'enabled' and s.deleted_at is null
    and (s.open_until is null or s.open_until <= statement_timestamp())
    and (select disabled_at from clients where clients.id = s.client_id) is null
    and (select disabled_at from users where users.id = s.user_id) is null
  left join busy on busy.subscription_id = s.id
  left join busy_application a on a.client_id = s.client_id
  cross join lateral (
    select oldest.id, oldest.due_at, row_number() over (order by oldest.due_at, oldest.id) as place from (
      select d.id, d.due_at from webhook_deliveries d
      where (d.lane, d.subscription_id, d.due_at) between ($1::smallint, s.id, '-infinity')
        and ($1::smallint, s.id, statement_timestamp())
      order by d.lane, d.subscription_id, d.due_at
      limit least(
        greatest(4, 2 * $2::int / (select count(*) from scan)),
        greatest(0, (case when s.consecutive_failures >= ${FAILURES_TO_OPEN} then 1 else s.send_window end)
          - coalesce(busy.n, 0)))
    ) oldest
  ) due
), chosen as (
  select id from ranked where application_place <= $5::int order by place, subscription_id limit $2::int
), mine as materialized (
  select d.id from webhook_deliveries d join chosen on chosen.id = d.id
  where d.due_at + interval '0' <= statement_timestamp() order by d.id for update of d skip locked
), claimed as (
  update webhook_deliveries d
  set due_at = statement_timestamp() + interval '${LEASE_S} s', lease = gen_random_uuid(), claims = d.claims + 1
  from mine where d.id = mine.id
  returning d.id, d.event_id, d.type, d.subscription_id, d.lane, d.attempts, d.claims, d.lease,
    (extract(epoch from d.created_at) * 1000)::float8 as created_ms
)
select claimed.*, seen.last as scanned_to, seen.n as scanned,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as database_ms
from (select max(id) as last, count(id)::int as n from scan) seen left join claimed on true`)

/**
 * Leases due deliveries of one lane to this caller, at most `limit`, fairly. Two statements in one transaction: the
 * second one's snapshot is taken after the wait for the lock, so the caps of subscriptions and applications are exact in
 * the whole cluster.
 */
export async function claimDue(ctx: Context, request: ClaimRequest): Promise<Claim> {
  const { lane, limit, after, scan = Math.max(20, limit), perApplication = APPLICATION_IN_FLIGHT_MAX } = request
  const [, found] = await transact(ctx, ({ db }) =>
    // sent together: the server takes one after the other
    Promise.all([takeClaimLock(db), claimRows(db, lane, limit, after, scan, perApplication)]),
  )
  const rows = found.filter(isClaimed)
  return { rows, next: nextCursor(rows, found[0], { limit, scan }), databaseMs: found[0]?.database_ms ?? Number.NaN }
}

const isClaimed = (row: Row): row is Row & Claimed => row.id !== null

/**
 * A claim that was cut goes on behind the last one served, another behind the last one seen: each rule alone starves
 * somebody. At the end of the round it begins anew.
 */
function nextCursor(rows: Claimed[], seen: Row | undefined, { limit, scan }: { limit: number; scan: number }): Cursor {
  if (rows.length === limit)
    return (
      rows
        .map((row) => row.subscription_id)
        .toSorted()
        .at(-1) ?? ''
    )
  return seen?.scanned === scan ? (seen.scanned_to ?? '') : ''
}
