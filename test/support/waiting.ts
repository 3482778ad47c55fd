import { sql } from 'drizzle-orm'
import type { Context } from '../../src/domain/core/context.ts'

/** Whether a statement on the database of this context waits for a lock. */
export async function isAnyoneWaiting({ slow }: Pick<Context, 'slow'>): Promise<boolean> {
  const waiting = await slow.execute(sql`
    select 1 from pg_locks l join pg_database d on d.oid = l.database
     where not l.granted and d.datname = current_database()
    union all select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)
  return waiting.length > 0
}
