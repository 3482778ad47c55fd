import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, jwtVerify } from 'jose'
import * as z from 'zod'
import type { DpopProof } from '../core/caller.ts'
import type { CalledContext, Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import { parseUrl } from '../core/url.ts'
import { isFirstUseNow } from './replay-protection.ts'
import { signingAlgorithms } from './signing-algorithms.ts'

/**
 * The thumbprint of the key to which a client's new token is bound (RFC 9449, section 5), null for a client that is not
 * registered for that: it gets an unbound token, whether or not it sends a proof. Throws `invalid_dpop_proof`.
 */
export async function bindingOf(ctx: CalledContext, client: { isDpopBound: boolean }): Promise<string | null> {
  if (!client.isDpopBound) return null
  const { dpop } = ctx.caller
  const jkt = dpop && (await provenKey(ctx, dpop))
  if (jkt !== undefined) return jkt
  throw new Problem('invalid_dpop_proof', 'DPoP: must be a fresh proof for this request; this client binds its tokens.')
}

const known = new WeakMap<DpopProof, Promise<boolean>>()

/**
 * Whether a request proves that it holds the key that a token is bound to (RFC 9449, section 7). Checked once per
 * request: the calls of a batch at /trpc share its proof, which can be used only once.
 */
export function holdsKey(ctx: Context, proof: DpopProof, { jkt, token }: { jkt: string; token: string }) {
  const answered = known.get(proof) ?? provenKey(ctx, proof, { jkt, token }).then((proven) => proven === jkt)
  known.set(proof, answered)
  return answered
}

const Claims = z.object({
  jti: z.string().min(1),
  htm: z.string(),
  htu: z.string(),
  iat: z.number().min(0).max(1e11),
  ath: z.string().optional(),
})

/** Signatures of RSA keys beyond that cost many times as much to verify, and nobody uses them. */
const RSA_MODULUS_LENGTH_MAX = 683 // 4,096 bits in base64url
const RSA_EXPONENT_LENGTH_MAX = 6

/** Whether the key of a proof is the expected one, if any, and no costly one: judged before its signature is. */
async function isSmallKey(jwt: string, expected: string | undefined): Promise<boolean> {
  try {
    const { jwk } = decodeProtectedHeader(jwt)
    if (
      !jwk ||
      String(jwk.n ?? '').length > RSA_MODULUS_LENGTH_MAX ||
      String(jwk.e ?? '').length > RSA_EXPONENT_LENGTH_MAX
    )
      return false
    return expected === undefined || (await calculateJwkThumbprint(jwk)) === expected
  } catch {
    return false
  }
}

/**
 * The thumbprint of the key; undefined unless the proof is for this request and for the expected token and key, if any.
 */
async function provenKey(
  ctx: Context,
  proof: DpopProof,
  expected?: { jkt: string; token: string },
): Promise<string | undefined> {
  if (!(await isSmallKey(proof.jwt, expected?.jkt))) return undefined
  const pinned = { typ: 'dpop+jwt', algorithms: [...signingAlgorithms] }
  const verified = await jwtVerify(proof.jwt, EmbeddedJWK, pinned).catch(() => undefined)
  const claims = verified && Claims.safeParse(verified.payload).data
  if (!claims || !verified.protectedHeader.jwk) return undefined
  if (claims.htm !== proof.method || !isAddress(claims.htu, ctx.publicUrl + proof.path)) return undefined
  if (expected && claims.ath !== sha256(expected.token).toString('base64url')) return undefined

  const jkt = await calculateJwkThumbprint(verified.protectedHeader.jwk)
  const isFirst = await isFirstUseNow(ctx, { kind: 'dpop proof', signer: jkt, jti: claims.jti }, claims.iat)
  return isFirst ? jkt : undefined
}

/** Without query and fragment (RFC 9449, section 4.3). Ours is configured, never taken from `Host`. */
function isAddress(htu: string, ours: string): boolean {
  const given = parseUrl(htu)
  if (!given) return false
  given.search = ''
  given.hash = ''
  return given.href === parseUrl(ours)?.href
}
