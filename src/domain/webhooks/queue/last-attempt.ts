import type { Database } from '../../../db/client.ts'
import { statement } from '../../../db/statement.ts'

const selectLogged = statement<[ids: string[]], { id: string; last: number }>(`
select t.id, coalesce((select max(a.n) from webhook_attempts a where a.delivery_id = t.id), 0) as last
from unnest($1::text[]) t (id)`)

/**
 * The number of the last logged attempt of each delivery; a replay continues the numbers of earlier runs. They cannot
 * change meanwhile: only whoever holds the lease or the lock of a delivery logs its attempts. It is a statement of its own
 * because one that waits for a locked row must not look into partitions: evaluating that lookup again for the changed row
 * crashes the server (PostgreSQL 18.4, SIGSEGV in `perform_pruning_base_step`).
 */
export async function lastLoggedAttempts(db: Database, ids: string[]): Promise<Map<string, number>> {
  return new Map((await selectLogged(db, ids)).map(({ id, last }) => [id, last]))
}
