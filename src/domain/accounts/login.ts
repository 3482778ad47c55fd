import { and, eq } from 'drizzle-orm'
import { users } from '../../db/schema/index.ts'
import { instantText, statement } from '../../db/statement.ts'
import { isUsername } from '../channels.ts'
import type { CalledContext, Context } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { countOrRefuse, networkOf, rateLimits } from '../core/rate-limits.ts'
import { isEmailAddress } from '../mail/address.ts'
import { type Entry, enterByPassword } from './enter.ts'
import { guess } from './guess.ts'
import { hashPassword, isOutdated, isPassword } from './passwords.ts'

export type Credentials = { username: string; password: string }

/**
 * Checks name, or confirmed address, and password, and starts a session in place of the one that the caller had, or asks for the second factor
 * where there is one. Throws `unauthorized`, in the same words and after the same work for an unknown name and a wrong
 * password; whoever has closed the account and knows its password is told when it is erased. `rate_limited`.
 */
export async function logIn(ctx: CalledContext, { username, password }: Credentials): Promise<Entry> {
  const name = username.toLowerCase()
  // by what was typed: a count that a name and an address share would tell whose address it is
  const user = await guess(ctx, name, async () => {
    const found = await findUser(ctx, name)
    const isRight = await isPassword(ctx, password, found?.passwordHash)
    return found && isRight ? withRenewedHash(ctx, found, password) : undefined
  })
  if (user) await countLogin(ctx, user.id)
  if (user?.eraseAt) throw new Problem('unauthorized', closedWords(user.eraseAt))
  const entry = user && (await enterByPassword(ctx, user))
  if (!user || !entry) throw new Problem('unauthorized', 'Wrong name, address or password.')
  return entry
}

const closedWords = (eraseAt: string) =>
  `This account was deleted. On ${eraseAt.slice(0, 10)} its data is erased; until then whoever runs this service can open it again.`

/** Counts a login of somebody who has shown who they are. Throws `rate_limited` for a program that logs in for each thing that it does. */
export async function countLogin(ctx: CalledContext, userId: string): Promise<void> {
  const key = `${userId} ${networkOf(ctx.caller.address)}`
  await countOrRefuse(ctx, rateLimits.logins, key, 'Too many logins: keep the session that a login gives.')
}

const FOUND = `id, username, password_hash, ${instantText('erase_at')} as erase_at`
/** Of a closed account its owner is told, by whom it was closed. */
const MAY_KNOW = '(disabled_at is null or erase_at is not null)'
const selectByName = statement<[name: string], FoundUser>(`
  select ${FOUND} from users where username = $1 and ${MAY_KNOW}`)
const selectByAddress = statement<[address: string], FoundUser>(`
  select ${FOUND} from users where lower(email) = lower($1) and email_verified_at is not null and ${MAY_KNOW}`)
type FoundUser = { id: string; username: string; password_hash: string | null; erase_at: string | null }

/** By name, or by an address that was confirmed: whoever only claims one is not found by it. */
async function findUser({ db }: Context, name: string) {
  if (!isUsername(name) && !isEmailAddress(name)) return undefined
  const [found] = isUsername(name) ? await selectByName(db, name) : await selectByAddress(db, name)
  if (!found) return undefined
  const { id, username, password_hash: passwordHash, erase_at: eraseAt } = found
  return { id, username, passwordHash, eraseAt }
}

/** With a hash of today's cost. Renewed in turn, or who logs in beside them would find another hash than the one that was right. */
async function withRenewedHash<User extends { id: string; passwordHash: string | null }>(
  ctx: CalledContext,
  user: User,
  password: string,
): Promise<User> {
  if (user.passwordHash === null || !isOutdated(user.passwordHash)) return user
  const passwordHash = await hashPassword(ctx, password)
  const isUnchanged = and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash))
  await ctx.db.update(users).set({ passwordHash }).where(isUnchanged)
  return { ...user, passwordHash }
}
