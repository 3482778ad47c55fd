import { findPendingLogin } from '../access/pending-logins.ts'
import type { CalledContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { transact } from '../core/transaction.ts'
import { consumePasskey, PasskeyAssertion, type ProvedPasskey, provePasskey } from '../factors/passkey-assertion.ts'
import { enterByPasskey, finishLogin, holdAccount } from './enter.ts'
import { guess } from './guess.ts'
import { countLogin } from './login.ts'

/**
 * Logs in by a passkey alone, which has verified its user: it stands for the password too. `visitor` is the cookie for which it
 * was asked. Throws `unauthorized`, `rate_limited`.
 */
export async function logInByPasskey(ctx: CalledContext, visitor: string, assertion: string): Promise<string> {
  return provedBy(ctx, assertion, { use: 'login', secret: visitor }, (tx, passkey) =>
    enterByPasskey(tx, passkey.userId),
  )
}

/** Goes on with a login whose password was right, by a passkey of the same account. Throws `unauthorized`, `rate_limited`. */
export async function completeLoginByPasskey(
  ctx: CalledContext,
  secret: string | undefined,
  assertion: string,
): Promise<string> {
  const login = secret === undefined ? undefined : await findPendingLogin(ctx, secret)
  if (!login || secret === undefined) throw new Problem('unauthorized', 'This login has ended. Begin again.')
  return provedBy(ctx, assertion, { use: 'second step', secret }, async (tx, passkey) =>
    passkey.userId === login.userId ? finishLogin(tx, login, 'hwk') : undefined,
  )
}

type Asked = Parameters<typeof provePasskey>[2]
type Entering = Parameters<typeof finishLogin>[0]

async function provedBy(
  ctx: CalledContext,
  assertion: string,
  asked: Asked,
  proceed: (tx: Entering, passkey: ProvedPasskey) => Promise<string | undefined>,
): Promise<string> {
  const read = readAssertion(assertion)
  const passkey = await guess(ctx, `passkey ${read?.id}`, async () => read && provePasskey(ctx, read, asked))
  if (passkey) await countLogin(ctx, passkey.userId)
  const session =
    passkey &&
    (await transact(ctx, async (tx) => {
      const isRight = (await holdAccount(tx, passkey.userId)) && (await consumePasskey(tx, passkey))
      return isRight ? proceed(tx, passkey) : undefined
    }))
  if (session !== undefined) return session
  throw new Problem('unauthorized', 'This passkey did not work here. Try again, or use another way.')
}

function readAssertion(text: string): PasskeyAssertion | undefined {
  try {
    return PasskeyAssertion.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
