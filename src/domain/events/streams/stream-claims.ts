import type { Database } from '../../../db/client.ts'
import { statement } from '../../../db/statement.ts'

/** Of one holder in one process: how many streams are open, and how many more are asked for. */
export type StreamClaim = { holder: string; open: number; wanted: number }
/** `counts`: how many of each holder the process may have, none of which is less than it has open. */
type Settled = { isNew: boolean; counts: Map<string, number> }

/** What a process that has ended without a word had open counts for so long. */
const SILENT_S = 6
/**
 * Of a process `p` whose count `c` is. The time beside the count is for a process whose row is written by a statement that runs at
 * the same time: this one sees what that has written of the holder, but not its row. A process that has ended is of -infinity.
 */
const IS_ALIVE = `p.seen_at is distinct from '-infinity'
  and greatest(p.seen_at, to_timestamp((c.value ->> 1)::float8)) > statement_timestamp() - interval '${SILENT_S} seconds'`
const AT = 'extract(epoch from statement_timestamp())'

type Row = { is_new: boolean; holder: string | null; count: number | null }

/**
 * Who comes second waits for the row of a holder and then sees what the first has written there, so no two processes are
 * given the same place. The rows are taken in one order, so no two statements wait for each other. What processes had that have
 * ended is left out. A process may have less written than it has open only where it has not said so yet.
 */
const settle = statement<[process: string, claims: string, most: number], Row>(`
with claims as materialized (select $2::text::jsonb as by_holder),
process as (
  insert into stream_processes as p (id, seen_at) values ($1, statement_timestamp())
  on conflict (id) do update set seen_at = statement_timestamp() where p.seen_at < statement_timestamp() - interval '1 second'
  returning xmax = 0 as is_new
), counted as (
  insert into stream_holders as h (holder, counts)
  select key, jsonb_build_object($1::text, jsonb_build_array((value ->> 0)::int + (value ->> 1)::int, ${AT}))
    from claims, jsonb_each(by_holder) order by key collate "C"
  on conflict (holder) do update set counts = (
    select others.counts
        || jsonb_build_object($1::text, jsonb_build_array(least(open + wanted, greatest(open, $3::int - others.total)), ${AT}))
      from (select coalesce(jsonb_object_agg(c.key, c.value), '{}') as counts, coalesce(sum((c.value ->> 0)::int), 0)::int as total
              from jsonb_each(h.counts) c left join stream_processes p on p.id = c.key
             where c.key <> $1 and (c.value ->> 0)::int > 0 and ${IS_ALIVE}) others,
           (select (by_holder -> h.holder ->> 0)::int as open, (by_holder -> h.holder ->> 1)::int as wanted from claims) mine)
  returning holder, (counts -> $1 ->> 0)::int as count
)
select coalesce((select is_new from process), false) as is_new, holder, count
from (values (1)) always left join counted on true`)

/**
 * Writes what a process has open of some holders, and gives it of what it wants as much as leaves no holder with more than
 * `most` in all living processes. Without claims it only says that the process lives. `isNew`: nothing was known of it.
 */
export async function settleClaims(
  db: Database,
  process: string,
  claims: readonly StreamClaim[],
  most: number,
): Promise<Settled> {
  const byHolder = Object.fromEntries(claims.map(({ holder, open, wanted }) => [holder, [open, wanted]]))
  const rows = await settle(db, process, JSON.stringify(byHolder), most)
  const counts = rows.flatMap(({ holder, count }) =>
    holder === null || count === null ? [] : [[holder, count] as const],
  )
  return { isNew: rows.some(({ is_new }) => is_new), counts: new Map(counts) }
}

const endProcess = statement<[process: string], never>(
  `update stream_processes set seen_at = '-infinity' where id = $1`,
)

/** What a process has open counts no longer. */
export async function withdrawClaims(db: Database, process: string): Promise<void> {
  await endProcess(db, process)
}

const deleteEnded = statement<[], never>(
  `delete from stream_processes where seen_at < statement_timestamp() - interval '1 hour'`,
)
const deleteIdle = statement<[limit: number], object>(`
delete from stream_holders where ctid = any(array(
  select h.ctid from stream_holders h where not exists (
    select from jsonb_each(h.counts) c left join stream_processes p on p.id = c.key where (c.value ->> 0)::int > 0 and ${IS_ALIVE})
  limit $1::int)) returning 1`)

/** Deletes processes that have ended, and at most `limit` holders who have nothing open; returns a row for each of these. */
export async function deleteIdleHolders(db: Database, limit: number): Promise<unknown[]> {
  await deleteEnded(db)
  return deleteIdle(db, limit)
}
