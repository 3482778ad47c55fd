import { createPublicKey, type KeyObject } from 'node:crypto'
import * as z from 'zod'
import { signingAlgorithms } from '../access/signing-algorithms.ts'
import { Problem } from '../core/problem.ts'

const KEYS_MAX = 10
const RSA_BITS_MIN = 2048
const RSA_BITS_MAX = 8192
/** What it costs to verify a signature grows with it; keys have 65537. */
const RSA_EXPONENT_MAX = 2n ** 32n
/** RFC 7518, sections 6.2.2, 6.3.2 and 6.4. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

const member = () => z.string().regex(/^[\x20-\x7e]{1,2048}$/)

/** A public key with which an application signs (RFC 7517, section 4). Members without a meaning here are not stored. */
const ClientKey = z.object({
  kty: z.enum(['EC', 'RSA', 'OKP']),
  use: z.literal('sig').optional(),
  alg: z.enum(signingAlgorithms).optional(),
  kid: member().optional(),
  crv: member().optional(),
  x: member().optional(),
  y: member().optional(),
  n: member().optional(),
  e: member().optional(),
})
/** None are left to an application whose keys were ended, until it registers others. */
export const ClientKeys = z.object({ keys: z.array(ClientKey).max(KEYS_MAX) })
export type ClientKeys = z.output<typeof ClientKeys>

/**
 * Reads a key set that an application registers (RFC 7517, section 5). Throws `invalid_request` for what is none, and for
 * one with a private key, which must never leave the application.
 */
export function readClientKeys(jwks: unknown): ClientKeys {
  if (hasPrivateMember(jwks))
    throw refused('holds a private or symmetric key; make a new pair and send the public half')
  const { data } = ClientKeys.safeParse(jwks)
  if (!data?.keys.length) {
    throw refused(
      `must be {"keys": […]} with 1 to ${KEYS_MAX} public keys for signing, each by ${signingAlgorithms.join(', ')}`,
    )
  }
  const { keys } = data
  for (const key of keys) requireUsable(key)
  if (keys.length > 1 && new Set(keys.map(({ kid }) => kid ?? '')).size < keys.length) {
    throw refused('must give each of several keys a "kid" of its own')
  }
  return data
}

function hasPrivateMember(jwks: unknown): boolean {
  const { keys } = Object(jwks) as { keys?: unknown }
  return [jwks, ...(Array.isArray(keys) ? keys : [])].some((key) => PRIVATE_MEMBERS.some((name) => name in Object(key)))
}

function requireUsable({ kid, ...jwk }: ClientKeys['keys'][number]): void {
  const key = publicKeyOf(jwk)
  if (!key || !isStrong(key)) {
    throw refused(`holds a key that is broken or weak${kid === undefined ? '' : `: "${kid.slice(0, 50)}"`}`)
  }
}

function publicKeyOf(jwk: object): KeyObject | undefined {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' })
  } catch {
    return undefined
  }
}

const CURVES = ['prime256v1', 'secp384r1', 'secp521r1']

function isStrong({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): boolean {
  const { namedCurve = '', modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails
  if (asymmetricKeyType === 'ec') return CURVES.includes(namedCurve)
  if (asymmetricKeyType === 'rsa') {
    return (
      modulusLength >= RSA_BITS_MIN &&
      modulusLength <= RSA_BITS_MAX &&
      publicExponent > 1n &&
      publicExponent < RSA_EXPONENT_MAX
    )
  }
  return asymmetricKeyType === 'ed25519'
}

const refused = (fault: string) => new Problem('invalid_request', `jwks: ${fault}.`)
