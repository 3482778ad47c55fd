import { type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Context } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import type { Purpose } from '../core/keyring.ts'
import { isSame } from '../core/timing-safe.ts'

/** What a kind of note is for: no other kind, and no other service, takes one. `bearer` is the claim that holds whose it is. */
type NoteKind = { purpose: Purpose; type: string; lifeS: number; bearer: string }
type Signing = Pick<Context, 'keyring' | 'now' | 'publicUrl'>

const ALGORITHM = 'HS256'

/**
 * What a form or a browser carries for us until it is answered, so that no row is needed and any process can take the answer: a token
 * (RFC 7519) of ours, for the bearer of `secret` alone, the cookie of a visitor, a login or a session.
 */
export function signCarried(
  { keyring, now, publicUrl }: Signing,
  { purpose, type, lifeS, bearer }: NoteKind,
  secret: string,
  claims: JWTPayload,
): Promise<string> {
  const [key] = keyring.keysFor(purpose)
  const issuedAt = Math.floor(now().getTime() / 1000)
  return new SignJWT({ ...claims, [bearer]: bearerOf(secret) })
    .setProtectedHeader({ alg: ALGORITHM, typ: type })
    .setIssuer(publicUrl)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifeS)
    .sign(key)
}

/** The claims of such a token; undefined for one that is forged, expired, of another kind or for another bearer. */
export async function openCarried(
  { keyring, now, publicUrl }: Signing,
  { purpose, type: typ, bearer }: NoteKind,
  secret: string,
  signed: string,
): Promise<JWTPayload | undefined> {
  for (const key of keyring.keysFor(purpose)) {
    const pinned = { algorithms: [ALGORITHM], typ, issuer: publicUrl, currentDate: now() }
    const verified = await jwtVerify(signed, key, { ...pinned, requiredClaims: ['exp', bearer] }).catch(() => undefined)
    if (!verified) continue
    const isTheirs = isSame(Buffer.from(String(verified.payload[bearer])), Buffer.from(bearerOf(secret)))
    return isTheirs ? verified.payload : undefined
  }
  return undefined
}

const bearerOf = (secret: string) => sha256(secret).toString('base64url')
