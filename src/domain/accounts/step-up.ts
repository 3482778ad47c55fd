import type { AuthenticationMethod } from '../../shared/authentication-methods.ts'
import { noteAuthentication } from '../access/sessions.ts'
import type { Caller } from '../core/caller.ts'
import type { UserContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { transact } from '../core/transaction.ts'
import { consumeCode } from '../factors/consume-code.ts'
import { listFactors } from '../factors/list.ts'
import { consumePasskey, type PasskeyAssertion, passkeyRequest, provePasskey } from '../factors/passkey-assertion.ts'
import { hasFactor } from '../factors/standing.ts'
import { guess } from './guess.ts'
import { requireOwnPassword } from './own-password.ts'
import { guessCode } from './second-step.ts'

type SessionContext = UserContext & { caller: Caller }

/** How the caller can confirm that it is them: by password only where there is no second factor. */
export async function stepUpWays(ctx: SessionContext) {
  const { userId, session } = ctx.principal
  if (!session) throw new Error('Only a login session can be stepped up')
  const { totp, recovery_codes: codes } = await listFactors(ctx)
  const passkey = await passkeyRequest(ctx, 'step-up', { secret: ctx.caller.session ?? '', userId })
  const hasCodes = totp !== null || codes !== null
  return { password: !(await hasFactor(ctx, userId)), code: hasCodes, passkey: passkey ?? null }
}

/** One of these. */
export type StepUpProof = {
  password?: string | undefined
  code?: string | undefined
  passkey?: PasskeyAssertion | undefined
}

/**
 * Notes in the caller's session that it was just them. Throws `invalid_request`, by the name of the field, for what is wrong,
 * and for a password where there is a second factor; `rate_limited`.
 */
export async function stepUp(ctx: SessionContext, proof: StepUpProof): Promise<void> {
  const { session } = ctx.principal
  if (!session) throw new Error('Only a login session can be stepped up')
  const method = await methodOf(ctx, proof)
  await noteAuthentication(ctx, session.id, method)
}

function methodOf(ctx: SessionContext, { password, code, passkey }: StepUpProof): Promise<AuthenticationMethod> {
  if (password !== undefined) return byPassword(ctx, password)
  if (code !== undefined) return byCode(ctx, code)
  if (passkey !== undefined) return byPasskey(ctx, passkey)
  throw new Problem('invalid_request', 'code: is required, or a password or a passkey.')
}

async function byPassword(ctx: SessionContext, password: string): Promise<AuthenticationMethod> {
  if (await hasFactor(ctx, ctx.principal.userId))
    throw new Problem('invalid_request', 'password: is not enough; use a second factor.')
  await requireOwnPassword(ctx, 'password', password)
  return 'pwd'
}

async function byCode(ctx: SessionContext, code: string): Promise<AuthenticationMethod> {
  const isRight = await guessCode(
    ctx,
    ctx.principal,
    code,
    async () => (await transact(ctx, (tx) => consumeCode(tx, ctx.principal, code))) || undefined,
  )
  if (!isRight) throw new Problem('invalid_request', 'code: is not right, or was used already. Take the next one.')
  return 'otp'
}

async function byPasskey(ctx: SessionContext, assertion: PasskeyAssertion): Promise<AuthenticationMethod> {
  const { userId } = ctx.principal
  const isRight = await guess(ctx, `passkey ${assertion.id}`, async () => {
    const passkey = await provePasskey(ctx, assertion, { use: 'step-up', secret: ctx.caller.session ?? '' })
    if (passkey?.userId !== userId) return undefined
    return (await transact(ctx, (tx) => consumePasskey(tx, passkey))) || undefined
  })
  if (!isRight) throw new Problem('invalid_request', 'passkey: did not work here. Try again, or use another way.')
  return 'hwk'
}
