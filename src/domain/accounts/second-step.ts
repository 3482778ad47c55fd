import { findPendingLogin, type PendingLogin } from '../access/pending-logins.ts'
import type { CalledContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { rateLimits } from '../core/rate-limits.ts'
import { transact } from '../core/transaction.ts'
import { consumeCode, isGuessable } from '../factors/consume-code.ts'
import { finishLogin, holdAccount } from './enter.ts'
import { guess } from './guess.ts'

/**
 * Goes on with a login whose password was right, by a code of the authenticator or for recovery, and returns the secret of
 * the session, which exists only now. Throws `unauthorized` for a wrong or used code and for a login that has ended;
 * `rate_limited`.
 */
export async function completeLogin(ctx: CalledContext, secret: string | undefined, code: string): Promise<string> {
  const login = secret === undefined ? undefined : await findPendingLogin(ctx, secret)
  if (!login) throw new Problem('unauthorized', 'This login has ended. Begin again.')
  const session = await guessCode(ctx, login, code, () =>
    transact(ctx, async (tx) => {
      const isRight = (await holdAccount(tx, login.userId)) && (await consumeCode(tx, login, code))
      return isRight ? finishLogin(tx, login, 'otp') : undefined
    }),
  )
  if (session !== undefined) return session
  throw new Problem('unauthorized', 'This code is not right, or was used already. Take the next one.')
}

/**
 * Runs one guess at a code of an account, throttled like passwords. What is short enough to be guessed is also counted for the
 * account alone: whoever knows the password may have many addresses.
 */
export async function guessCode<Right>(
  ctx: CalledContext,
  { userId, username }: Pick<PendingLogin, 'userId' | 'username'>,
  code: string,
  attempt: () => Promise<Right | undefined>,
): Promise<Right | undefined> {
  const more = isGuessable(code) ? ([[rateLimits.codeAccount, userId]] as const) : []
  return guess(ctx, `code ${username}`, attempt, more)
}
