import { hash } from 'node:crypto'

/** SHA-256 of a text as 32 bytes: how tokens, keys and secrets are stored. They are random, so no salt is needed. */
export function sha256(value: string): Buffer {
  return hash('sha256', value, 'buffer')
}

/** The same in hexadecimal, for hot statements, which decode it: making and serialising bytes takes three times as long. */
export function sha256Hex(value: string): string {
  return hash('sha256', value, 'hex')
}
