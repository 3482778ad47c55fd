import type { Database } from '../../../db/client.ts'
import { statement } from '../../../db/statement.ts'
import { DAY_MS } from '../../../time/durations.ts'
import type { Context } from '../../core/context.ts'
import { lowerBound } from '../../core/ids.ts'
import { transact } from '../../core/transaction.ts'
import { lastLoggedAttempts } from './last-attempt.ts'
import { pendingScan } from './pending-scan.ts'

const CHUNK_ROWS = 1_000
/** Events are dropped after 35 days. */
const EXPIRE_AFTER_DAYS = 34

/** Locks the rows that `chosen` names, in the order of their identifiers, but not those with an attempt on its way. */
const lockRows = (chosen: string) => `
with recursive ${chosen}
select d.id, chosen.outcome from webhook_deliveries d join chosen on chosen.id = d.id
where d.lease is null or d.due_at <= statement_timestamp()
order by d.id for update of d skip locked`

/** Moves locked rows out of the queue. Apart from the locking, for the reason that last-attempt.ts gives. */
const moveRows = statement<[rows: string], never>(`
with locked as (
  select * from json_to_recordset($1::text::json) as t (id text, outcome text, attempts int)
), removed as (
  delete from webhook_deliveries d using locked where d.id = locked.id
  returning d.id, d.event_id, d.type, d.subscription_id, d.created_at, locked.outcome, locked.attempts
)
insert into webhook_deliveries_done (id, event_id, type, subscription_id, outcome, attempts, created_at, finished_at)
select id, event_id, type, subscription_id, outcome, attempts, created_at, statement_timestamp() from removed
on conflict (id) do update set outcome = excluded.outcome, reason = null, attempts = excluded.attempts,
  finished_at = excluded.finished_at`)

type Locked = { id: string; outcome: string }

const lockStopped = statement<[limit: number], Locked>(
  lockRows(`${pendingScan},
-- a subscription whose row is gone altogether, with its application, counts as deleted
-- in no order, so that one with a million rows is not always the first
stopped as materialized (
  select scan.*, case when s.id is null or s.deleted_at is not null then 'cancelled' else 'held' end as outcome
  from scan left join webhook_subscriptions s on s.id = scan.id
  where s.id is null or s.deleted_at is not null or s.status = 'disabled' order by random()
), chosen as (
  select rows.id, stopped.outcome from stopped cross join lateral (
    select d.id from webhook_deliveries d
    where d.lane = stopped.lane and d.pace = stopped.pace and d.owner_id = stopped.owner_id and d.subscription_id = stopped.id
      and (d.lease is null or d.due_at <= statement_timestamp()) limit $1::int) rows
  limit $1::int
)`),
)

const lockOld = statement<[before: string, limit: number], Locked>(
  lockRows(`chosen as (
  select d.id, 'expired' as outcome from webhook_deliveries d where d.id < $1 order by d.id limit $2::int
)`),
)

/**
 * Takes what must not be sent any more out of the queue: `cancelled` where the subscription is deleted, `held` where it is
 * disabled. Deleting and disabling leave that to this sweep and lock no delivery: one that locked a subscription and then
 * deliveries could deadlock with a settlement, which locks them in the other order. Ends after `chunksMax` thousand.
 */
export async function sweepStopped(ctx: Context, chunksMax = Number.POSITIVE_INFINITY): Promise<number> {
  return moveAll(ctx, (db) => lockStopped(db, CHUNK_ROWS), chunksMax)
}

/** Finishes as `expired` what has waited for so long that its event is about to be dropped. `now` is the database's. */
export async function sweepExpired(ctx: Context, now: Date): Promise<number> {
  const before = lowerBound('delivery', new Date(now.getTime() - EXPIRE_AFTER_DAYS * DAY_MS))
  return moveAll(ctx, (db) => lockOld(db, before, CHUNK_ROWS))
}

async function moveAll(
  ctx: Context,
  lockChunk: (db: Database) => Promise<Locked[]>,
  chunksMax = Number.POSITIVE_INFINITY,
): Promise<number> {
  for (let moved = 0, chunks = 1; ; chunks++) {
    const chunk = await transact({ ...ctx, db: ctx.slow }, async ({ db }) => {
      const locked = await lockChunk(db)
      if (locked.length > 0) await move(db, locked)
      return locked.length
    })
    moved += chunk
    if (chunk < CHUNK_ROWS || chunks === chunksMax) return moved
  }
}

async function move(db: Database, locked: readonly Locked[]): Promise<void> {
  const logged = await lastLoggedAttempts(
    db,
    locked.map(({ id }) => id),
  )
  await moveRows(db, JSON.stringify(locked.map((row) => ({ ...row, attempts: logged.get(row.id) ?? 0 }))))
}
