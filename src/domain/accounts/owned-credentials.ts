import { instantText, statement } from '../../db/statement.ts'
import { endApplicationCredentials } from '../applications/end-credentials.ts'
import { endRecentAdditions, listRecentAdditions, type RecentAddition } from '../applications/recent-additions.ts'
import { type AuditEntry, auditAll } from '../audit/audit.ts'
import type { Context } from '../core/context.ts'
import type { InTransaction } from '../core/transaction.ts'
import { forgetRecentFactors, recentProtectionSince } from '../factors/recent.ts'
import { shutOut } from '../ingest/connections.ts'

/**
 * What a new password leaves alone: keys and client secrets of the user's own applications, what was put into those lately, the keys
 * of the channel, and what was added lately to enter the account by.
 */
export type OwnedCredential = {
  kind: RecentAddition['kind'] | 'key' | 'secret' | 'overlay' | 'stream' | 'passkey' | 'totp' | 'recovery_codes'
  /** Of the application, or its own; null where it has none. */
  name: string | null
  last4: string | null
  /** What was put into the application: whom, or where to. */
  label: string | null
  created_at: string
}

const SHOWN_MAX = 50
/** Whether the account has had no factor until lately. */
const IS_RECENT = 'exists (select from users where id = $1 and protected_since > $3::timestamptz)'

const selectLiving = statement<[userId: string, limit: number, recent: Date], OwnedCredential>(`
  select kind, name, last4, null as label, ${instantText('created_at')} as created_at from (
    select 'passkey' as kind, name, null as last4, created_at, id from passkeys where user_id = $1 and ${IS_RECENT}
    union all
    select 'totp', null, null, created_at, '' from totp_factors where user_id = $1 and ${IS_RECENT}
    union all
    select 'recovery_codes', null, null, max(created_at), '' from recovery_codes where user_id = $1 and ${IS_RECENT}
     having count(*) > 0
    union all
    select 'stream', null, last4, coalesce(rolled_at, created_at), '' from stream_keys where channel_id = $1
    union all
    select 'overlay', name, last4, created_at, id from overlay_keys where channel_id = $1
    union all
    select 'key', c.name, k.last4, k.created_at, k.id from clients c join api_keys k on k.client_id = c.id
     where c.owner_id = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > statement_timestamp())
    union all
    select 'secret', c.name, s.last4, s.created_at, s.id from clients c join client_secrets s on s.client_id = c.id
     where c.owner_id = $1 and (s.expires_at is null or s.expires_at > statement_timestamp())) living
   order by array_position(array['passkey','totp','recovery_codes','stream','overlay','key','secret'], kind), name, id limit $2::int`)

/** All of it that lives; the first fifty, and whether there are more. */
export async function listOwnedCredentials(ctx: Context, userId: string) {
  const since = recentProtectionSince(ctx)
  const added = await listRecentAdditions(ctx, userId, since, SHOWN_MAX + 1)
  const living = await selectLiving(ctx.db, userId, SHOWN_MAX + 1, since)
  const found: OwnedCredential[] = [...added.map((one) => ({ ...one, last4: null })), ...living]
  return { credentials: found.slice(0, SHOWN_MAX), hasMore: found.length > SHOWN_MAX }
}

type Ended = { id: string; hash: Buffer }

const lockOwned = statement<[ownerId: string], { id: string }>(
  'select id from clients where owner_id = $1 order by id for no key update',
)
/** Each statement ends a kind, and the log says so by this action. */
const endings: [action: AuditEntry['action'], end: ReturnType<typeof ending>][] = [
  ['overlay_key.revoked', ending('delete from overlay_keys where channel_id = $1 returning id, hash')],
  ['stream_key.revoked', ending('delete from stream_keys where channel_id = $1 returning channel_id as id, hash')],
]

function ending(sql: string) {
  return statement<[userId: string], Ended>(sql)
}

/**
 * Ends all of it at once, and what was made with it: the tokens that stand for those applications. The account is locked by the caller; its
 * applications before anything of theirs is looked for, so that what their members are adding is there.
 */
export async function endCredentialsOf(
  tx: InTransaction<Context>,
  user: { id: string; username: string },
): Promise<void> {
  const { id: userId } = user
  const actor = { type: 'user', id: userId } as const
  const owned = await lockOwned(tx.db, userId)
  for (const [action, end] of endings) {
    const ended = await end(tx.db, userId)
    await auditAll(
      tx,
      ended.map(({ id }) => ({ actor, userId, targetId: id, action })),
    )
    for (const { hash } of ended) tx.afterCommit(() => tx.credentials.end(hash.toString('base64')))
  }
  await endApplicationCredentials(tx, { clientIds: owned.map(({ id }) => id), userId, actor })
  await endRecentAdditions(tx, userId, recentProtectionSince(tx))
  await shutOut(tx, userId)
  await forgetRecentFactors(tx, user)
}
