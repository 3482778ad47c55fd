import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, jwtVerify } from 'jose'
import * as z from 'zod'
import type { Caller, DpopProof } from '../core/caller.ts'
import type { CalledContext, Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import { parseUrl } from '../core/url.ts'
import { countFailedProof, refuseThrottledProof } from './failed-proofs.ts'
import { isFirstUseNow } from './replay-protection.ts'
import { signingAlgorithms } from './signing-algorithms.ts'

/**
 * The thumbprint of the key to which a client's new token is bound (RFC 9449, section 5), null for a client that is not
 * registered for that: it gets an unbound token, whether or not it sends a proof. Throws `invalid_dpop_proof` and `rate_limited`.
 */
export async function bindingOf(ctx: CalledContext, client: { isDpopBound: boolean }): Promise<string | null> {
  if (!client.isDpopBound) return null
  const jkt = await provenKey(ctx, ctx.caller)
  if (jkt !== undefined) return jkt
  throw new Problem('invalid_dpop_proof', 'DPoP: must be a fresh proof for this request; this client binds its tokens.')
}

const known = new WeakMap<DpopProof, Promise<boolean>>()

/**
 * Whether a request proves that it holds the key that a token is bound to (RFC 9449, section 7). Checked once per
 * request: the calls of a batch at /trpc share its proof, which can be used only once. Throws `rate_limited`.
 */
export async function holdsKey(ctx: Context, caller: Caller, { jkt, token }: { jkt: string; token: string }) {
  const { dpop } = caller
  if (!dpop) return false
  const answered = known.get(dpop) ?? provenKey(ctx, caller, { jkt, token }).then((proven) => proven === jkt)
  known.set(dpop, answered)
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

type Expected = { jkt: string; token: string }

/**
 * The thumbprint of the key; undefined unless there is a proof for this request and for the expected token and key, if any.
 * Those that fail are counted when they have cost the verification of a signature: unlike a wrong token, which costs a look-up.
 */
async function provenKey(ctx: Context, { dpop, address }: Caller, expected?: Expected): Promise<string | undefined> {
  if (!dpop || !(await isSmallKey(dpop.jwt, expected?.jkt))) return undefined
  refuseThrottledProof(ctx, address)
  const jkt = await verifiedKey(ctx, dpop, expected)
  if (jkt === undefined) await countFailedProof(ctx, address)
  return jkt
}

async function verifiedKey(ctx: Context, proof: DpopProof, expected?: Expected): Promise<string | undefined> {
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
