import type { Caller } from '../context.ts'
import { Problem } from '../errors.ts'

/** Who a request says it comes from, before any of it is believed. The scheme is that of the challenge, should it fail. */
export type Claim = { id: string | undefined; secret: string | undefined; scheme: 'Basic' | 'Bearer' }

type Fields = { client_id?: string | undefined; client_secret?: string | undefined }

/**
 * Reads the one method of client authentication that a request uses (RFC 6749, section 2.3): Basic, or the fields of the
 * body. Throws `invalid_request` when it uses both or names two clients, `invalid_client` for any other scheme.
 */
export function claimClient({ authorization }: Caller, { client_id, client_secret }: Fields): Claim {
  if (authorization === undefined) return { id: client_id, secret: client_secret, scheme: 'Bearer' }

  const { id, secret } = readBasic(authorization)
  if (client_secret !== undefined) {
    throw new Problem(
      'invalid_request',
      'client_secret: the client has authenticated by Basic already; use one method.',
    )
  }
  if (client_id !== undefined && client_id !== id) {
    throw new Problem('invalid_request', 'client_id: is not the client that authenticates by Basic.')
  }
  return { id, secret, scheme: 'Basic' }
}

const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i

/** An empty password is none: some clients that have no secret send their identifier like this. */
function readBasic(authorization: string) {
  const [, encoded] = BASIC.exec(authorization) ?? []
  const pair = Buffer.from(encoded ?? '', 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  if (colon < 1) {
    throw new Problem('invalid_client', 'Authorization: is not client authentication by Basic.', { scheme: 'Basic' })
  }
  return { id: decodeForm(pair.slice(0, colon)), secret: decodeForm(pair.slice(colon + 1)) || undefined }
}

/** RFC 6749, section 2.3.1, has both parts encoded like a form. Not every client does it; ours have nothing to encode. */
function decodeForm(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    return part
  }
}
