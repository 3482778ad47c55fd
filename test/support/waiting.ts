import { sql } from 'drizzle-orm'
import { poolSizes } from '../../src/db/pools.ts'
import type { Context } from '../../src/domain/core/context.ts'
import { waitingForTurn } from '../../src/domain/core/turns/transact-in-turn.ts'

/** Whether a statement on the database of this context waits for a lock. */
export async function isAnyoneWaiting({ slow }: Pick<Context, 'slow'>): Promise<boolean> {
  const waiting = await slow.execute(sql`
    select 1 from pg_locks l join pg_database d on d.oid = l.database
     where not l.granted and d.datname = current_database()
    union all select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)
  return waiting.length > 0
}

/** Resolves once all of so many transactions wait, for a lock or for their turn, or once those at the lock hold every connection. */
export async function untilAllWait({ db, slow }: Pick<Context, 'db' | 'slow'>, all: number): Promise<void> {
  for (let atLock = 0; atLock < poolSizes.fast && atLock + waitingForTurn(db) < all; ) {
    const waiting = await slow.execute(sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)
    atLock = waiting.length
  }
}
