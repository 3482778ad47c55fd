import { getTableName } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type * as schema from '../db/schema/index.ts'
import {
  accessTokens,
  applicationInvitations,
  authorizationCodes,
  deviceCodes,
  idempotencyKeys,
  mailLinks,
  mails,
  pendingLogins,
  totpEnrolments,
  usedAssertions,
  webhookSecrets,
} from '../db/schema/index.ts'
import { statement } from '../db/statement.ts'
import { DAY_MS } from '../time/durations.ts'
import type { Context } from './core/context.ts'
import { lowerBound } from './core/ids.ts'
import { deleteIdleHolders } from './events/streams/stream-claims.ts'

const CHUNK_ROWS = 1_000
/** A login session lasts 7 days and a grant a year at most; like all else they are kept a day longer. */
const SESSION_DAYS = 8
const GRANT_DAYS = 366 + 1
/** For so long what a key, a secret or a grant was is still shown, and told to who inspects it. */
const ENDED_DAYS = 30
/** Usage is shown for 30 days. */
const USAGE_DAYS = 35
/** The log of requests is kept for 7. */
const OMISSION_DAYS = 8

type Tables = typeof schema
type Expiring = { [Name in keyof Tables]: 'expiresAt' extends keyof Tables[Name] ? Name : never }[keyof Tables]

/**
 * How the rows of each table that has an `expires_at` are deleted; the compiler asks for every such table. A table stands
 * for itself when its rows go a day after they expired, and then needs an index on `expires_at`.
 */
const endings = {
  authorizationCodes,
  deviceCodes,
  accessTokens,
  usedAssertions,
  idempotencyKeys,
  pendingLogins,
  applicationInvitations,
  totpEnrolments,
  mailLinks,
  mails,
  webhookSecrets,
  ingestConnections: 'by whoever watches encoders, and hourly',
  thumbnails: 'with what is stored of them',
  refreshTokens: 'with their grant',
  grants: 'by age, or a while after their revocation',
  loginSessions: 'by age',
  apiKeys: 'a while after their end',
  clientSecrets: 'a while after their end',
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
const deleteSessions = statement<[before: string, limit: number], object>(`
    delete from login_sessions where id in (select id from login_sessions where id < $1 order by id limit $2::int) returning 1`)

/** A key to which the one that it replaced still points waits for that one. */
const deleteKeys = statement<[days: number, limit: number], object>(`
    delete from api_keys where ctid = any(array(
      select k.ctid from api_keys k
       where least(k.revoked_at, k.expires_at) < statement_timestamp() - $1::int * interval '1 day'
         and not exists (select from api_keys r where r.replaced_by = k.id)
       order by least(k.revoked_at, k.expires_at) limit $2::int)) returning 1`)

const deleteSecrets = statement<[days: number, limit: number], object>(`
    delete from client_secrets where ctid = any(array(
      select ctid from client_secrets where expires_at < statement_timestamp() - $1::int * interval '1 day'
      order by expires_at limit $2::int)) returning 1`)

/**
 * Grants by a condition with `$1`, after their refresh tokens: a grant that was refreshed every hour of a year has thousands,
 * and a step that deleted those of a thousand grants would have no end.
 */
function grantDeletion<Bound extends string | number>(condition: string) {
  const deleteTokens = statement<[bound: Bound, limit: number], object>(`
    delete from refresh_tokens where ctid = any(array(
      select r.ctid from grants g join refresh_tokens r on r.grant_id = g.id where ${condition} limit $2::int)) returning 1`)
  const deleteGrants = statement<[bound: Bound, limit: number], object>(`
    delete from grants where id in (select g.id from grants g where ${condition} limit $2::int) returning 1`)
  return async ({ slow }: Context, bound: Bound) => {
    await untilShort(() => deleteTokens(slow, bound, CHUNK_ROWS))
    await untilShort(() => deleteGrants(slow, bound, CHUNK_ROWS))
  }
}
const deleteOldGrants = grantDeletion<string>('g.id < $1')
const deleteRevokedGrants = grantDeletion<number>("g.revoked_at < statement_timestamp() - $1::int * interval '1 day'")

/**
 * Applications that describe themselves, a while after the last consent: whoever allows one anew makes it known again. One that the operator has
 * stopped stays so.
 */
const deleteUnregistered = statement<[days: number, limit: number], object>(`
    delete from clients where ctid = any(array(
      select c.ctid from clients c
       where c.metadata_url is not null and c.disabled_at is null and c.updated_at < statement_timestamp() - $1::int * interval '1 day'
         and not exists (select from grants g where g.client_id = c.id)
         and not exists (select from webhook_subscriptions s where s.client_id = c.id) limit $2::int)) returning 1`)

const deleteUsage = statement<[before: Date, limit: number], object>(`
    delete from client_usage where ctid = any(array(
      select ctid from client_usage where hour < $1::timestamptz order by hour limit $2::int)) returning 1`)

const deleteOmissions = statement<[before: Date, limit: number], object>(`
    delete from request_log_omissions where ctid = any(array(
      select ctid from request_log_omissions where minute < $1::timestamptz order by minute limit $2::int)) returning 1`)

/** Of how long deliveries waited the last five minutes are read. */
const deleteWaits = statement<[before: Date, limit: number], object>(`
    delete from webhook_waits where ctid = any(array(
      select ctid from webhook_waits where slot < $1::timestamptz order by slot limit $2::int)) returning 1`)

/**
 * Deletes, in small steps, credentials and stored responses that expired a day ago or ended a while ago, applications that describe themselves and that
 * nobody allows anything, old usage, counts of requests that were not kept,
 * how long deliveries waited, and counts of streams that are open no longer. `now` is the database's.
 * Several processes may do so at once.
 */
export async function deleteExpired(ctx: Context, now: Date): Promise<void> {
  const { slow } = ctx
  const ago = (days: number) => new Date(now.getTime() - days * DAY_MS)
  for (const deleteChunk of deletions) await untilShort(() => deleteChunk(slow, CHUNK_ROWS))
  await untilShort(() => deleteSessions(slow, lowerBound('session', ago(SESSION_DAYS)), CHUNK_ROWS))
  await untilShort(() => deleteKeys(slow, ENDED_DAYS, CHUNK_ROWS))
  await untilShort(() => deleteSecrets(slow, ENDED_DAYS, CHUNK_ROWS))
  await deleteOldGrants(ctx, lowerBound('grant', ago(GRANT_DAYS)))
  await deleteRevokedGrants(ctx, ENDED_DAYS)
  await untilShort(() => deleteUnregistered(slow, ENDED_DAYS, CHUNK_ROWS))
  await untilShort(() => deleteUsage(slow, ago(USAGE_DAYS), CHUNK_ROWS))
  await untilShort(() => deleteOmissions(slow, ago(OMISSION_DAYS), CHUNK_ROWS))
  await untilShort(() => deleteWaits(slow, ago(1), CHUNK_ROWS))
  await untilShort(() => deleteIdleHolders(slow, CHUNK_ROWS))
}

async function untilShort(deleteChunk: () => Promise<unknown[]>): Promise<void> {
  while ((await deleteChunk()).length === CHUNK_ROWS);
}
