import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'
import { sha256 } from '../../../src/domain/core/digest.ts'

export const TOKEN = 'POST /oauth/token'

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
export type Key = { privateKey: PrivateKey; jwk: object; jkt: string }

export async function newKey(): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = await exportJWK(publicKey)
  return { privateKey, jwk, jkt: await calculateJwkThumbprint(jwk) }
}

type Made = { by: Key; token?: string | undefined; claims?: object; header?: Partial<JWTHeaderParameters> }

let made = 0

/** A proof for a request of a service; whatever is given replaces what would be right, undefined leaves it out. */
export async function proofFor(base: string, route: string, { by, token, claims = {}, header = {} }: Made) {
  const [htm, path] = route.split(' ')
  const ath = token && sha256(token).toString('base64url')
  const iat = Math.floor(Date.now() / 1000)
  const right = { htm, htu: base + path, jti: `jti ${made++}`, iat, ...(ath && { ath }) }
  return new SignJWT({ ...right, ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: by.jwk, ...header })
    .sign(by.privateKey)
}
