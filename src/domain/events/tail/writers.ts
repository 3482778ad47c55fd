import { setTimeout as after } from 'node:timers/promises'
import type { Database } from '../../../db/client.ts'
import { statement } from '../../../db/statement.ts'

const PAUSE_MS = { first: 10, most: 500 }
const PAUSE_GROWTH = 1.2

/**
 * Who writes an event holds this lock from before it takes a position until it has ended. Others, who may be at work for hours,
 * do not.
 */
const selectWriters = statement<[], { transaction: string; pid: number }>(`
select virtualtransaction as transaction, max(pid) as pid from pg_locks
where locktype = 'relation' and relation = 'events'::regclass and mode = 'RowExclusiveLock' and granted
  and database = (select oid from pg_database where datname = current_database())
group by virtualtransaction`)

/** Given the processes of the server that are waited for, and for how long they have been; false ends the waiting. */
type OnWaiting = (pids: readonly number[], waitedMs: number) => boolean

/**
 * Waits until all transactions have ended that have taken a position before this call, however long that takes; resolves to
 * whether they have. `onWaiting` is called at every look.
 */
export async function untilWritten(db: Database, onWaiting: OnWaiting): Promise<boolean> {
  const begun = performance.now()
  let left = await writersOf(db)
  for (let pauseMs = PAUSE_MS.first; left.size > 0; pauseMs = Math.min(PAUSE_MS.most, pauseMs * PAUSE_GROWTH)) {
    if (!onWaiting([...left.values()], performance.now() - begun)) return false
    await after(pauseMs)
    const writing = await writersOf(db)
    left = new Map([...left].filter(([transaction]) => writing.has(transaction)))
  }
  return true
}

/** The transactions that write events at present, with the process of the server that does. */
export const writersOf = async (db: Database) =>
  new Map((await selectWriters(db)).map(({ transaction, pid }) => [transaction, pid]))
