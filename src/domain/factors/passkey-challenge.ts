import { jwtVerify, SignJWT } from 'jose'
import * as z from 'zod'
import { isFirstUse } from '../access/replay-protection.ts'
import type { Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { newId } from '../core/ids.ts'
import { isSame } from '../core/timing-safe.ts'

/** What a passkey is asked for: what it signs for one of these is nothing for another. */
export type ChallengeUse = 'login' | 'second step' | 'step-up' | 'registration'

const Claims = z.object({ use: z.string(), bearer: z.string(), jti: z.string() })

const ALGORITHM = 'HS256'
const TYPE = 'passkey+jwt'
const LIFE_S = 300

/**
 * What a passkey signs: a token of ours, so that no row is needed until it is answered, and any process can take the answer.
 * It is good for five minutes, for one use, and for the bearer of `secret`: the cookie of a visitor, a login or a session.
 */
export async function challengeFor(ctx: Context, use: ChallengeUse, secret: string): Promise<string> {
  const [key] = ctx.keyring.keysFor('passkey-challenge')
  const issuedAt = Math.floor(ctx.now().getTime() / 1000)
  return new SignJWT({ use, bearer: bearerHash(secret) })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
    .setIssuer(ctx.publicUrl)
    .setJti(newId('challenge', ctx.now()))
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFE_S)
    .sign(key)
}

/** Whether a passkey has signed what `challengeFor` gave for this use to this bearer, for the first time in any process. */
export async function isChallenge(
  ctx: Context,
  { use, secret, challenge }: { use: ChallengeUse; secret: string; challenge: string },
): Promise<boolean> {
  const signed = Buffer.from(challenge, 'base64url').toString('utf8')
  for (const key of ctx.keyring.keysFor('passkey-challenge')) {
    const claims = await claimsOf(ctx, key, signed)
    if (!claims) continue
    const isTheirs = isSame(Buffer.from(claims.bearer), Buffer.from(bearerHash(secret)))
    if (claims.use !== use || !isTheirs) return false
    return isFirstUse(ctx, { kind: 'passkey challenge', signer: claims.bearer, jti: claims.jti }, LIFE_S)
  }
  return false
}

async function claimsOf(ctx: Context, key: Buffer, signed: string) {
  const pinned = { algorithms: [ALGORITHM], typ: TYPE, issuer: ctx.publicUrl, currentDate: ctx.now() }
  const verified = await jwtVerify(signed, key, { ...pinned, requiredClaims: ['exp'] }).catch(() => undefined)
  return verified && Claims.safeParse(verified.payload).data
}

const bearerHash = (secret: string) => sha256(secret).toString('base64url')
