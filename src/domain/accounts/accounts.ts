import { and, eq, isNull } from 'drizzle-orm'
import { violatedConstraint } from '../../db/db-error.ts'
import { authorizationCodes, grants, users } from '../../db/schema/index.ts'
import { instantText, statement } from '../../db/statement.ts'
import { endSessionsOf } from '../access/sessions.ts'
import { type AuditActor, audit } from '../audit/audit.ts'
import { isUsername } from '../channels.ts'
import type { Caller } from '../core/caller.ts'
import type { CalledContext, Context, UserContext } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { Problem } from '../core/problem.ts'
import { countOrRefuse, networkOf, rateLimits, siteOf } from '../core/rate-limits.ts'
import { transact } from '../core/transaction.ts'
import { isEmailAddress } from '../mail/address.ts'
import { changeFacts } from '../mail/change-facts.ts'
import { mailUser } from '../mail/mail-user.ts'
import { revokeGrants } from '../oauth/revoke-grants.ts'
import { guess } from './login.ts'
import { hashPassword, isPassword, requirePassword } from './passwords.ts'
import { isReserved } from './reserved-names.ts'
import type { Account } from './resources.ts'

export type NewUser = { username: string; email: string; password: string }
export type User = { id: string; username: string; email: string }

/**
 * Creates a user, who is at the same time a channel of that name. The username is stored in lower case. Throws
 * `invalid_request`, which names the field, for what is malformed or taken.
 */
export async function createUser(
  ctx: Context,
  { username, email, password }: NewUser,
  by?: AuditActor,
  id = newId('user', ctx.now()),
): Promise<User> {
  const name = requireUsername(username)
  requireEmail(email)
  requirePassword('password', password)

  const passwordHash = await hashPassword(password)
  const at = ctx.now()
  await transact(ctx, async (tx) => {
    const row = { id, username: name, email, passwordHash, createdAt: at, updatedAt: at }
    await refuseTaken(tx.db.insert(users).values(row))
    const actor = by ?? { type: 'user', id }
    await audit(tx, { actor, action: 'user.created', userId: id, targetId: id })
  })
  return { id, username: name, email }
}

/**
 * Creates an account for a visitor, if `SIGNUP` is open. Throws `forbidden`, `rate_limited`, and what `createUser`
 * throws.
 */
export async function signUp(ctx: CalledContext, newcomer: NewUser): Promise<User> {
  if (ctx.signup === 'closed') throw new Problem('forbidden', 'New accounts are made by the operator alone.')
  await countTry(ctx)
  if (isReserved(requireUsername(newcomer.username)))
    throw new Problem('invalid_request', 'username: is kept for the operator; choose another.')
  return createUser(ctx, newcomer)
}

/**
 * Trying addresses tells which of them have an account, so the number of tries is limited. The site comes last: who is
 * refused uses up nothing of it.
 */
async function countTry(ctx: CalledContext) {
  const words = 'Too many tries from here. Try again later.'
  await countOrRefuse(ctx, rateLimits.signUp, networkOf(ctx.caller.address), words)
  const site = siteOf(ctx.caller.address)
  if (site !== undefined) await countOrRefuse(ctx, rateLimits.signUpSite, site, words)
}

const accountById = statement<[id: string], Account>(`
  select id, username, email, bio, image_url, ${instantText('created_at')} as created_at from users where id = $1`)

/** The caller's account. Throws `user_not_found` when it was deleted meanwhile. */
export async function getAccount({ db, principal }: UserContext): Promise<Account> {
  const [account] = await accountById(db, principal.userId)
  if (!account) throw new Problem('user_not_found', 'This account no longer exists.')
  return account
}

type PasswordContext = UserContext & { caller: Caller }

/** Changes the email address. Needs the password, so that a session left open is not enough to take over the account. */
export async function changeEmail(ctx: PasswordContext, change: { email: string; password: string }): Promise<Account> {
  requireEmail(change.email)
  await requireOwnPassword(ctx, 'password', change.password)
  await countTry(ctx)
  return transact(ctx, async (tx) => {
    const { userId } = tx.principal
    await refuseTaken(tx.db.update(users).set({ email: change.email, updatedAt: tx.now() }).where(eq(users.id, userId)))
    await audit(tx, { actor: { type: 'user', id: userId }, action: 'user.email_changed', userId, targetId: userId })
    return getAccount(tx)
  })
}

/**
 * Sets a new password, ends every session of the user, the calling one too, and revokes every grant, so that whoever
 * knew the old password loses all access. Throws `invalid_request` for a wrong current password, `rate_limited` after
 * too many.
 */
export async function changePassword(
  ctx: PasswordContext,
  { current_password, new_password }: { current_password: string; new_password: string },
): Promise<void> {
  requirePassword('new_password', new_password)
  await requireOwnPassword(ctx, 'current_password', current_password)
  const passwordHash = await hashPassword(new_password)
  await transact(ctx, async (tx) => {
    const { userId } = tx.principal
    const actor = { type: 'user', id: userId } as const
    await tx.db.update(users).set({ passwordHash, updatedAt: tx.now() }).where(eq(users.id, userId))
    await endSessionsOf(tx, userId)
    await tx.db
      .delete(authorizationCodes)
      .where(and(eq(authorizationCodes.userId, userId), isNull(authorizationCodes.consumedAt)))
    await revokeGrants(tx, eq(grants.userId, userId), { reason: 'password_changed', actor })
    await audit(tx, { actor, action: 'user.password_changed', userId, targetId: userId })
    await mailUser(tx, 'password_changed', userId, changeFacts(tx, tx.principal.username))
  })
}

async function requireOwnPassword(ctx: PasswordContext, field: string, password: string): Promise<void> {
  const { userId, username } = ctx.principal
  const isRight = await guess(ctx, username, async () => {
    const [found] = await ctx.db.select({ hash: users.passwordHash }).from(users).where(eq(users.id, userId))
    return (await isPassword(password, found?.hash)) || undefined
  })
  if (!isRight) throw new Problem('invalid_request', `${field}: is not your password.`)
}

/** A username in the form in which it is stored. */
function requireUsername(text: string): string {
  const name = text.toLowerCase()
  if (isUsername(name)) return name
  throw new Problem('invalid_request', 'username: must be 3 to 25 of a-z, 0-9 and "_".')
}

function requireEmail(email: string): void {
  if (!isEmailAddress(email)) throw new Problem('invalid_request', 'email: is not an email address.')
}

const taken: Record<string, string> = {
  users_username_unique: 'username: is taken.',
  users_email: 'email: belongs to another account.',
}

async function refuseTaken(write: PromiseLike<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    const message = taken[violatedConstraint(error) ?? '']
    if (message === undefined) throw error
    throw new Problem('invalid_request', message, { cause: error })
  }
}
