import { SignatureError } from './errors.ts'
import type { WebhookEvent } from './events.ts'

/** Headers of a request, as the platforms have them. */
export type GivenHeaders = Headers | Record<string, string | readonly string[] | undefined>

export type UnwrapOptions = {
  /** How old a delivery may be, in seconds; 300 when left out. */
  toleranceS?: number
  /** The time to judge by, in milliseconds since 1970. */
  now?: number
}

/**
 * Judges a delivery and returns its event; throws `SignatureError` when it is not ours, too old, or changed. `body` is what was
 * received, before anything has parsed it. While a secret is rotated give both. Standard Webhooks 1.0.0.
 */
async function unwrap(
  secret: string | readonly string[],
  headers: GivenHeaders,
  body: string | Uint8Array<ArrayBuffer>,
  { toleranceS = 300, now = Date.now() }: UnwrapOptions = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  )
  if (!id || !timestamp || !signatures)
    throw new SignatureError('A header is missing: webhook-id, webhook-timestamp, webhook-signature.')
  const ageS = now / 1_000 - Number(timestamp)
  if (!/^\d{1,12}$/.test(timestamp)) throw new SignatureError('webhook-timestamp: is no number of seconds.')
  if (Math.abs(ageS) > toleranceS) throw new SignatureError(`webhook-timestamp: is ${Math.round(ageS)} s old.`)
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  const secrets = typeof secret === 'string' ? [secret] : secret
  for (const one of secrets) if (await isSigned(one, signatures, signed)) return eventIn(bytes)
  throw new SignatureError('webhook-signature: is none of this secret and this body.')
}

export const webhooks = { unwrap }

async function isSigned(secret: string, signatures: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const raw = bytesOf(secret.replace(/^whsec_/, ''))
  if (!raw || raw.length === 0) throw new TypeError('The secret is none: it begins with whsec_.')
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  const given = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? [bytesOf(one.slice(3))] : []))
  for (const signature of given)
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true // in constant time
  return false
}

function eventIn(bytes: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw new SignatureError('The body is no JSON.', { cause: error })
  }
}

function headerOf(headers: GivenHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const [, value] = Object.entries(headers).find(([given]) => given.toLowerCase() === name) ?? []
  return typeof value === 'string' ? value : value?.[0]
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
