import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { pendingLogins } from '../../db/schema/index.ts'
import { statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'
import { inMs } from '../core/db-now.ts'
import { sha256 } from '../core/digest.ts'
import type { InTransaction } from '../core/transaction.ts'

const LIFE_MS = 10 * 60_000
/** Whoever knows a password can begin as many as there are: the oldest make room. */
const KEPT_MAX = 10

/** A login whose password was right. It is no session: all it can do is ask for the second factor. */
export type PendingLogin = { hash: Buffer; userId: string; username: string }

const keepNewest = statement<[userId: string, kept: number], never>(`
  delete from pending_logins where user_id = $1 and hash not in (
    select hash from pending_logins where user_id = $1 order by expires_at desc limit $2::int)`)

/** Begins a login that waits ten minutes for its second factor, and returns the secret of its cookie. */
export async function startPendingLogin(tx: InTransaction, userId: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await keepNewest(tx.db, userId, KEPT_MAX - 1)
  await tx.db.insert(pendingLogins).values({ hash: sha256(secret), userId, expiresAt: inMs(LIFE_MS) })
  return secret
}

const findOne = statement<[hash: Buffer], { user_id: string; username: string }>(`
  select p.user_id, u.username
    from pending_logins p join users u on u.id = p.user_id
   where p.hash = $1 and p.expires_at > statement_timestamp() and u.disabled_at is null`)

/** The login that waits with this secret in its cookie, or undefined. */
export async function findPendingLogin(ctx: Context, secret: string): Promise<PendingLogin | undefined> {
  const hash = sha256(secret)
  const [found] = await findOne(ctx.db, hash)
  return found && { hash, userId: found.user_id, username: found.username }
}

const endOne = statement<[hash: Buffer], { hash: Buffer }>(`
  delete from pending_logins where hash = $1 and expires_at > statement_timestamp() returning hash`)

/** Ends a login that waits; false when it has ended already, by its own success or by a change of the password. */
export async function endPendingLogin(tx: InTransaction, { hash }: PendingLogin): Promise<boolean> {
  return (await endOne(tx.db, hash)).length === 1
}

/** Ends all that wait for a user's second factor. */
export async function endPendingLoginsOf(tx: InTransaction, userId: string): Promise<void> {
  await tx.db.delete(pendingLogins).where(eq(pendingLogins.userId, userId))
}
