import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'

/** A token that is worth nothing without a fresh proof of its key (RFC 9449). */
export type BoundToken = { token: string; prove: (method: string, path: string) => string }

type Create = (input: object) => Promise<{ id: string; client_secret: string }>

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token of an application that binds its tokens, which `create` makes. */
export async function bindToken(base: string, create: Create): Promise<BoundToken> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const prove = (method: string, path: string, token?: string) => {
    const ath = token && createHash('sha256').update(token).digest('base64url')
    const claims = { jti: randomUUID(), htm: method, htu: base + path, iat: Math.floor(Date.now() / 1_000), ath }
    const text = `${encode({ alg: 'ES256', typ: 'dpop+jwt', jwk })}.${encode(claims)}`
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return `${text}.${signature.toString('base64url')}`
  }
  const { id, client_secret } = await create({ name: 'Bound', confidential: true, dpop_bound: true })
  const response = await fetch(`${base}/oauth/token`, {
    method: 'POST',
    headers: { dpop: prove('POST', '/oauth/token') },
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret }),
  })
  const { access_token: token } = (await response.json()) as { access_token?: string }
  if (!token) throw new Error(`There is no token that is bound: ${response.status}`)
  return { token, prove: (method, path) => prove(method, path, token) }
}
