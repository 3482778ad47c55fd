import * as z from 'zod'
import { openCarried, signCarried } from '../access/carried.ts'
import { isFirstUse } from '../access/replay-protection.ts'
import type { Context } from '../core/context.ts'
import { newId } from '../core/ids.ts'

/** What a passkey is asked for: what it signs for one of these is nothing for another. */
export type ChallengeUse = 'login' | 'second step' | 'step-up' | 'registration'

const Claims = z.object({ use: z.string(), bearer: z.string(), jti: z.string() })
const KIND = { purpose: 'passkey-challenge', type: 'passkey+jwt', lifeS: 300, bearer: 'bearer' } as const

/** What a passkey signs. It is good for five minutes, for one use, and for the bearer of `secret`. */
export const challengeFor = (ctx: Context, use: ChallengeUse, secret: string): Promise<string> =>
  signCarried(ctx, KIND, secret, { use, jti: newId('challenge', ctx.now()) })

/** Whether a passkey has signed what `challengeFor` gave for this use to this bearer, for the first time in any process. */
export async function isChallenge(
  ctx: Context,
  { use, secret, challenge }: { use: ChallengeUse; secret: string; challenge: string },
): Promise<boolean> {
  const signed = Buffer.from(challenge, 'base64url').toString('utf8')
  const claims = Claims.safeParse(await openCarried(ctx, KIND, secret, signed)).data
  if (claims?.use !== use) return false
  return isFirstUse(ctx, { kind: 'passkey challenge', signer: claims.bearer, jti: claims.jti }, KIND.lifeS)
}
