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

type Step = (db: Context['db'], userId: string) => Promise<void>

/**
 * A thousand rows after the other, by two statements: one that waits for a row which somebody else has locked must not look into
 * partitions by what it learns as it runs (`webhooks/queue/last-attempt.ts`).
 */
function inChunks(table: string, condition: string, act: string): Step {
  const select = statement<[userId: string, limit: number], { id: string }>(
    `select id from ${table} where ${condition} order by id limit $2::int`,
  )
  const change = statement<[ids: string[]], never>(`${act} where id = any($1::text[])`)
  return async (db, userId) => {
    for (let length = CHUNK_ROWS; length === CHUNK_ROWS; ) {
      const ids = (await select(db, userId, CHUNK_ROWS)).map(({ id }) => id)
      if (ids.length > 0) await change(db, ids)
      length = ids.length
    }
  }
}

const deleting = (table: string, condition: string): Step => inChunks(table, condition, `delete from ${table}`)

/** Of what there are a few of for each person. */
function deletingAll(table: string, column = 'user_id'): Step {
  const deleteAll = statement<[userId: string], never>(`delete from ${table} where ${column} = $1`)
  return async (db, userId) => void (await deleteAll(db, userId))
}

/**
 * What there is of a person beside the row of the account, in the order in which it goes. Messages go as deleted ones do. Tokens,
 * codes and sessions ended with the account; grants, which were revoked then, go by `deleteExpired`, events and requests within 35 days.
 */
const steps: readonly Step[] = [
  deleting('chat_messages', 'user_id = $1'),
  deleting('livestreams', 'channel_id = $1'),
  deleting('bans', 'channel_id = $1'),
  inChunks('bans', 'user_id = $1', 'update bans set user_id = null'),
  deleting('webhook_subscriptions', 'user_id = $1'),
  deletingAll('application_members'),
  deleting('application_invitations', 'user_id = $1'),
  inChunks('application_invitations', 'invited_by = $1', 'update application_invitations set invited_by = null'),
  deleting('overlay_keys', 'channel_id = $1'),
  ...['stream_keys', 'ingest_connections'].map((table) => deletingAll(table, 'channel_id')),
  ...['totp_factors', 'totp_enrolments', 'recovery_codes', 'passkeys', 'mail_links'].map((table) => deletingAll(table)),
  deleting('mails', 'user_id = $1'),
  // that something happened stays for as long as the log is kept, without from where
  inChunks(
    'audit_log',
    'user_id = $1 and (ip is not null or user_agent is not null)',
    'update audit_log set ip = null, user_agent = null',
  ),
  inChunks(
    'audit_log',
    `actor_id = $1 and actor_type = 'user' and (ip is not null or user_agent is not null)`,
    'update audit_log set ip = null, user_agent = null',
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
         email_verified_at = null, muted_mail = '{}', bio = null, image_url = null, password_hash = null, protected_since = null, devices_forgotten_at = null
   where id = $1 and erase_at <= statement_timestamp() returning id`)

async function erase(ctx: Context, userId: string): Promise<void> {
  for (const step of steps) await step(ctx.slow, userId)
  const operator = { ...ctx, db: ctx.slow, principal: { kind: 'operator' } } as const
  for (const { id } of await selectOwned(ctx.slow, userId)) await deleteApplication(operator, { id })
  await transact(ctx, async (tx) => {
    const [erased] = await eraseAccount(tx.db, userId)
    if (erased) await audit(tx, { actor: { type: 'system' }, action: 'user.erased', userId, targetId: userId })
  })
}
