import { hash } from 'node:crypto'

/** SHA-256 of a text as 32 bytes: how tokens, keys and secrets are stored. They are random, so no salt is needed. */
export function sha256(value: string): Buffer {
  return hash('sha256', value, 'buffer')
}
