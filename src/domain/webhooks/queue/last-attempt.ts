import type { Database } from '../../../db/client.ts'
import { statement } from '../../../db/statement.ts'

const selectLogged = statement<[ids: string[]], { id: string; last: number }>(`
select t.id, coalesce((select max(a.n) from webhook_attempts a where a.delivery_id = t.id), 0) as last
from unnest($1::text[]) t (id)`)

/**
 * The number of the last attempt of each delivery that was logged; a replay logs beside those of earlier runs. Only who
 * holds or has locked a delivery logs its attempts. Asked apart, because a statement that waits for a locked row must not
 * look into partitions: what it looks up again for the changed row ends the server (PostgreSQL 18.4, SIGSEGV in
 * `perform_pruning_base_step`).
 */
export async function lastLoggedAttempts(db: Database, ids: string[]): Promise<Map<string, number>> {
  return new Map((await selectLogged(db, ids)).map(({ id, last }) => [id, last]))
}
