import { statement } from '../../../db/statement.ts'
import { deleteApplication } from '../../applications/applications.ts'
import { leaveApplications } from '../../applications/owner-leaves.ts'
import { audit } from '../../audit/audit.ts'
import type { Context } from '../../core/context.ts'
import { transact } from '../../core/transaction.ts'

/** In an hour so many accounts; the others are due by the next one. */
const ACCOUNTS_AT_ONCE = 200
const CHUNK_ROWS = 1_000

/** Closed accounts to which an application came at the very moment that they were closed. */
const selectLeftOver = statement<[], { id: string }>(`
  select distinct u.id from users u join clients c on c.owner_id = u.id where u.erase_at is not null and c.disabled_at is null`)

const selectDue = statement<[limit: number], { id: string }>(`
  select id from users where erase_at <= statement_timestamp() order by erase_at limit $1::int`)

type Chunk = (db: Context['db'], userId: string, limit: number) => Promise<unknown[]>

const deleting = (table: string, key: string, condition: string, also = ''): Chunk =>
  statement<[userId: string, limit: number], object>(`
  delete from ${table} where ${key} = any(array(
    select ${key} from ${table} where ${condition} order by ${key} limit $2::int)) ${also} returning 1`)
const updating = (table: string, key: string, set: string, condition: string): Chunk =>
  statement<[userId: string, limit: number], object>(`
  update ${table} set ${set} where ${key} = any(array(
    select ${key} from ${table} where ${condition} order by ${key} limit $2::int)) returning 1`)

/**
 * What there is of a person beside the row of the account, and in which order it goes: a thousand rows by each statement. Messages go
 * as deleted ones do. Tokens, codes and sessions ended with the account, events and requests within 35 days.
 */
const steps: readonly Chunk[] = [
  deleting('chat_messages', 'id', 'user_id = $1'),
  deleting('livestreams', 'id', 'channel_id = $1'),
  deleting('bans', 'id', 'channel_id = $1'),
  updating('bans', 'id', 'user_id = null', 'user_id = $1'),
  deleting('webhook_subscriptions', 'id', 'user_id = $1'),
  deleting('refresh_tokens', 'hash', 'grant_id in (select id from grants where user_id = $1)'),
  deleting('grants', 'id', 'user_id = $1'),
  deleting('application_members', 'client_id', 'user_id = $1', 'and user_id = $1'),
  deleting('application_invitations', 'id', 'user_id = $1'),
  updating('application_invitations', 'id', 'invited_by = null', 'invited_by = $1'),
  deleting('overlay_keys', 'id', 'channel_id = $1'),
  ...['stream_keys', 'ingest_connections'].map((table) => deleting(table, 'channel_id', 'channel_id = $1')),
  ...['totp_factors', 'totp_enrolments'].map((table) => deleting(table, 'user_id', 'user_id = $1')),
  deleting('recovery_codes', 'hash', 'user_id = $1'),
  deleting('passkeys', 'id', 'user_id = $1'),
  deleting('mail_links', 'hash', 'user_id = $1'),
  deleting('mails', 'id', 'user_id = $1'),
  // that something happened stays for as long as the log is kept, without from where
  updating(
    'audit_log',
    'id',
    'ip = null, user_agent = null',
    'user_id = $1 and (ip is not null or user_agent is not null)',
  ),
]

/**
 * Erases what is left of people who closed their account 30 days ago, by the database's clock. What was cut off is gone on with an
 * hour later, and several processes may do so at once. The name stays, so that nobody gets it again.
 */
export async function eraseClosed(ctx: Context): Promise<void> {
  for (const { id } of await selectLeftOver(ctx.slow)) await transact(ctx, (tx) => leaveApplications(tx, id))
  for (const { id } of await selectDue(ctx.slow, ACCOUNTS_AT_ONCE)) {
    try {
      await erase(ctx, id)
    } catch (error) {
      ctx.log.error({ err: error, user: id }, 'A closed account could not be erased: next attempt in an hour')
    }
  }
}

const selectOwned = statement<[ownerId: string], { id: string }>(
  'select id from clients where owner_id = $1 order by id',
)

const eraseAccount = statement<[userId: string], { id: string }>(`
  update users set erase_at = null, erased_at = statement_timestamp(), updated_at = statement_timestamp(), email = null,
         email_verified_at = null, muted_mail = '{}', bio = null, image_url = null, password_hash = null
   where id = $1 and erase_at <= statement_timestamp() returning id`)

async function erase(ctx: Context, userId: string): Promise<void> {
  for (const deleteChunk of steps) while ((await deleteChunk(ctx.slow, userId, CHUNK_ROWS)).length === CHUNK_ROWS);
  const operator = { ...ctx, db: ctx.slow, principal: { kind: 'operator' } } as const
  for (const { id } of await selectOwned(ctx.slow, userId)) await deleteApplication(operator, { id })
  await transact(ctx, async (tx) => {
    const [erased] = await eraseAccount(tx.db, userId)
    if (erased) await audit(tx, { actor: { type: 'system' }, action: 'user.erased', userId, targetId: userId })
  })
}
