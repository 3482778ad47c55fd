import { eq } from 'drizzle-orm'
import { users } from '../../db/schema/index.ts'
import type { Caller } from '../core/caller.ts'
import type { UserContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { countOrRefuse, rateLimits } from '../core/rate-limits.ts'
import { guess } from './guess.ts'
import { isPassword } from './passwords.ts'

export type PasswordContext = UserContext & { caller: Caller }

/** Throws `invalid_request`, in the name of `field`, unless this is the caller's password; `rate_limited` after too many. */
export async function requireOwnPassword(ctx: PasswordContext, field: string, password: string): Promise<void> {
  const { userId, username } = ctx.principal
  const isRight = await guess(ctx, username, async () => {
    const [found] = await ctx.db.select({ hash: users.passwordHash }).from(users).where(eq(users.id, userId))
    return (await isPassword(ctx, password, found?.hash)) || undefined
  })
  if (!isRight) throw new Problem('invalid_request', `${field}: is not your password.`)
}

const TOO_MANY_CHANGES =
  'Too many new passwords and addresses within a day. A link to set a new password is sent under "Forgotten password".'

/**
 * Counts a new password or address of whoever has shown the password: it ends the links that were sent to the account, and whoever has taken
 * it could end each of its owner's before they open it. Throws `rate_limited`.
 */
export const countOwnChange = (ctx: PasswordContext): Promise<void> =>
  countOrRefuse(ctx, rateLimits.ownChanges, ctx.principal.userId, TOO_MANY_CHANGES)
