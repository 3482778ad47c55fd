import { eq } from 'drizzle-orm'
import { users } from '../../db/schema/index.ts'
import { endSession, startSession } from '../access/sessions.ts'
import { isUsername } from '../channels.ts'
import type { CalledContext, Context } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { countOrRefuse, networkOf, rateLimits, siteOf } from '../core/rate-limits.ts'
import { hashPassword, isOutdated, isPassword } from './passwords.ts'

export type Credentials = { username: string; password: string }

const TOO_MANY = 'Too many failed attempts. Wait a while before you try again.'

/**
 * Checks username and password, ends the session that the caller had, starts a new one and returns its secret. Throws
 * `unauthorized`, in the same words and after the same work for an unknown name and a wrong password; `rate_limited`.
 */
export async function logIn(ctx: CalledContext, { username, password }: Credentials): Promise<string> {
  const name = username.toLowerCase()
  const user = await guess(ctx, name, async () => {
    const found = await findUser(ctx, name)
    return (await isPassword(password, found?.passwordHash)) ? found : undefined
  })
  if (!user) throw new Problem('unauthorized', 'Wrong username or password.')

  if (user.passwordHash !== null && isOutdated(user.passwordHash)) await renewHash(ctx, user.id, password)
  if (ctx.caller.session !== undefined) await endSession(ctx, ctx.caller.session)
  return startSession(ctx, user.id, ['pwd'])
}

/**
 * Runs one guess at the password of an account; `attempt` resolves to undefined for a wrong one. Each guess counts
 * before its outcome is known, so that parallel guesses cannot exceed the limit; a right one is given back. Throws
 * `rate_limited`. Counts per address, so nobody can lock out the account's owner elsewhere.
 */
export async function guess<Right>(ctx: CalledContext, account: string, attempt: () => Promise<Right | undefined>) {
  const network = networkOf(ctx.caller.address)
  const site = siteOf(ctx.caller.address)
  const counts = [
    [rateLimits.loginAddress, network], // first, so that a refused address counts no further guesses for accounts
    [rateLimits.loginAccount, `${account} ${network}`],
    ...(site === undefined ? [] : [[rateLimits.loginSite, site] as const]), // last: who is refused uses up nothing of it
  ] as const
  for (const [limit, key] of counts) await countOrRefuse(ctx, limit, key, TOO_MANY)
  const right = await attempt()
  if (right !== undefined) for (const [limit, key] of counts) await ctx.counters.giveBack(limit, key)
  return right
}

async function findUser({ db }: Context, username: string) {
  if (!isUsername(username)) return undefined
  const [found] = await db
    .select({ id: users.id, passwordHash: users.passwordHash, disabledAt: users.disabledAt })
    .from(users)
    .where(eq(users.username, username))
  return found?.disabledAt === null ? found : undefined
}

async function renewHash({ db }: Context, id: string, password: string): Promise<void> {
  await db
    .update(users)
    .set({ passwordHash: await hashPassword(password) })
    .where(eq(users.id, id))
}
