import { statement } from '../db/statement.ts'
import type { Context } from './core/context.ts'
import { lowerBound } from './core/ids.ts'

const CHUNK_ROWS = 1_000
const DAY_MS = 86_400_000
/** A login lasts 7 days and a grant a year, whatever is done with them; then they are kept a day more, as all is. */
const SESSION_DAYS = 8
const GRANT_DAYS = 366 + 1
/** Usage is shown for 30 days. */
const USAGE_DAYS = 35

/** Tables whose rows are dead at `expires_at`; each has an index on it. */
const withDeadline = ['authorization_codes', 'access_tokens', 'used_assertions', 'idempotency_keys'] as const

const deletions = withDeadline.map((table) =>
  statement<[limit: number], object>(`
    delete from ${table} where ctid = any(array(
      select ctid from ${table} where expires_at < statement_timestamp() - interval '1 day'
      order by expires_at limit $1::int)) returning 1`),
)

/** Identifiers begin with their time, so the primary key finds the old ones. Tokens go with their grant. */
const deleteOlder = (table: 'login_sessions' | 'grants') =>
  statement<[before: string, limit: number], object>(`
    delete from ${table} where id in (select id from ${table} where id < $1 order by id limit $2::int) returning 1`)
const deleteSessions = deleteOlder('login_sessions')
const deleteGrants = deleteOlder('grants')

const deleteUsage = statement<[before: Date, limit: number], object>(`
    delete from client_usage where ctid = any(array(
      select ctid from client_usage where hour < $1::timestamptz order by hour limit $2::int)) returning 1`)

/** Deletes, in small steps, credentials and stored answers that have been dead for a day, and old usage. Safe in several processes. */
export async function deleteExpired({ slow, now }: Context): Promise<void> {
  const ago = (days: number) => new Date(now().getTime() - days * DAY_MS)
  for (const deleteChunk of deletions) await untilShort(() => deleteChunk(slow, CHUNK_ROWS))
  await untilShort(() => deleteSessions(slow, lowerBound('session', ago(SESSION_DAYS)), CHUNK_ROWS))
  await untilShort(() => deleteGrants(slow, lowerBound('grant', ago(GRANT_DAYS)), CHUNK_ROWS))
  await untilShort(() => deleteUsage(slow, ago(USAGE_DAYS), CHUNK_ROWS))
}

async function untilShort(deleteChunk: () => Promise<unknown[]>): Promise<void> {
  while ((await deleteChunk()).length === CHUNK_ROWS);
}
