import { getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type * as schema from '../db/schema/index.ts'
import { accessTokens, authorizationCodes, idempotencyKeys, usedAssertions } from '../db/schema/index.ts'
import { statement } from '../db/statement.ts'
import { DAY_MS } from '../time/durations.ts'
import type { Context } from './core/context.ts'
import { lowerBound } from './core/ids.ts'

const CHUNK_ROWS = 1_000
/** A login session lasts 7 days and a grant a year at most; like all else they are kept a day longer. */
const SESSION_DAYS = 8
const GRANT_DAYS = 366 + 1
/** Usage is shown for 30 days. */
const USAGE_DAYS = 35

type Tables = typeof schema
type Expiring = { [Name in keyof Tables]: 'expiresAt' extends keyof Tables[Name] ? Name : never }[keyof Tables]

/**
 * How the rows of each table that has an `expires_at` are deleted; the compiler asks for every such table. A table stands
 * for itself when its rows go a day after they expired, and then needs an index on `expires_at`.
 */
const endings = {
  authorizationCodes,
  accessTokens,
  usedAssertions,
  idempotencyKeys,
  refreshTokens: 'with their grant',
  grants: 'by age',
  loginSessions: 'by age',
  clientSecrets: 'with their client',
  apiKeys: 'with their client',
  webhookSecrets: 'with their subscription',
} satisfies Record<Expiring, PgTable | string>

const deletions = Object.values(endings)
  .filter((table) => typeof table !== 'string')
  .map(getTableName)
  .map((table) =>
    statement<[limit: number], object>(`
    delete from ${table} where ctid = any(array(
      select ctid from ${table} where expires_at < statement_timestamp() - interval '1 day'
      order by expires_at limit $1::int)) returning 1`),
  )

/** By age: identifiers begin with the time of their creation, so the primary key finds the old ones. */
const deleteOlder = (table: 'login_sessions' | 'grants') =>
  statement<[before: string, limit: number], object>(`
    delete from ${table} where id in (select id from ${table} where id < $1 order by id limit $2::int) returning 1`)
const deleteSessions = deleteOlder('login_sessions')
const deleteGrants = deleteOlder('grants')

const deleteUsage = statement<[before: Date, limit: number], object>(`
    delete from client_usage where ctid = any(array(
      select ctid from client_usage where hour < $1::timestamptz order by hour limit $2::int)) returning 1`)

/**
 * Deletes, in small steps, credentials and stored responses that expired a day ago, and old usage. `now` is the database's.
 * Several processes may do so at once.
 */
export async function deleteExpired({ slow }: Context, now: Date): Promise<void> {
  const ago = (days: number) => new Date(now.getTime() - days * DAY_MS)
  for (const deleteChunk of deletions) await untilShort(() => deleteChunk(slow, CHUNK_ROWS))
  await untilShort(() => deleteSessions(slow, lowerBound('session', ago(SESSION_DAYS)), CHUNK_ROWS))
  await untilShort(() => deleteGrants(slow, lowerBound('grant', ago(GRANT_DAYS)), CHUNK_ROWS))
  await untilShort(() => deleteUsage(slow, ago(USAGE_DAYS), CHUNK_ROWS))
}

async function untilShort(deleteChunk: () => Promise<unknown[]>): Promise<void> {
  while ((await deleteChunk()).length === CHUNK_ROWS);
}
