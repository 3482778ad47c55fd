import { sql } from 'drizzle-orm'
import { expect, vi } from 'vitest'
import { poolSizes } from '../../src/db/pools.ts'
import type { Context } from '../../src/domain/core/context.ts'
import { FairTurns } from '../../src/domain/core/turns/fair-turns.ts'

/** Whether a statement on the database of this context waits for a lock. */
export async function isAnyoneWaiting({ slow }: Pick<Context, 'slow'>): Promise<boolean> {
  const waiting = await slow.execute(sql`
    select 1 from pg_locks l join pg_database d on d.oid = l.database
     where not l.granted and d.datname = current_database()
    union all select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)
  return waiting.length > 0
}

/**
 * What `ask` asks for at once, when each of it has asked for its turn, or for so many one after the other, or what waits for a lock holds
 * every connection.
 */
export async function untilAllWait<Asked>(
  { slow }: Pick<Context, 'slow'>,
  ask: () => Asked[],
  turnsOfEach = 1,
): Promise<Asked[]> {
  using take = vi.spyOn(FairTurns.prototype, 'take')
  const asked = ask()
  const atLock = async () => {
    const waiting = await slow.execute(sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)
    return waiting.length
  }
  await expect
    .poll(async () => take.mock.calls.length >= turnsOfEach * asked.length || (await atLock()) >= poolSizes.fast)
    .toBe(true)
  return asked
}
