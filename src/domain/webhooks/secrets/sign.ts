import { createHmac, randomBytes } from 'node:crypto'
import { isSame } from '../../core/timing-safe.ts'

const PREFIX = 'whsec_'
const KEY_BYTES = 32
const TOLERANCE_S = 300

/** A signing secret of Standard Webhooks 1.0.0: `whsec_` and the base64 of 32 random bytes. */
export const newSigningSecret = (): string => PREFIX + randomBytes(KEY_BYTES).toString('base64')

/** The key of a secret: its decoded bytes, not its text. Throws on what is not 24 to 64 bytes of strict base64. */
export function signingKey(secret: string): Buffer {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : ''
  const key = Buffer.from(text, 'base64')
  if (key.length < 24 || key.length > 64 || key.toString('base64') !== text) {
    throw new TypeError('A signing secret is "whsec_" and the base64 of 24 to 64 bytes')
  }
  return key
}

/** The header `webhook-signature`: one `v1,…` per key, separated by spaces. `body` is exactly what is sent. */
export function sign(keys: readonly Buffer[], id: string, timestampS: number, body: Buffer): string {
  const head = `${id}.${timestampS}.`
  return keys.map((key) => `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`).join(' ')
}

export type SignedHead = { id: string; timestamp: string; signature: string }

/** What a receiver does: whether one of the signatures was made with the secret, and the time is within 300 s of `nowS`. */
export function verify(secret: string, { id, timestamp, signature }: SignedHead, body: Buffer, nowS: number): boolean {
  const timestampS = Number(timestamp)
  if (!(Math.abs(nowS - timestampS) <= TOLERANCE_S)) return false
  const expected = Buffer.from(sign([signingKey(secret)], id, timestampS, body))
  return signature.split(' ').some((part) => isSame(Buffer.from(part), expected))
}
