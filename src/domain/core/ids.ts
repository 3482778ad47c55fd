import { randomFillSync } from 'node:crypto'
import { BASE32, decodeTime, idPrefixAt, TIME_DIGITS } from '../../db/time-prefix.ts'

const prefixes = {
  user: 'usr',
  session: 'ses',
  client: 'cli',
  secret: 'sec',
  key: 'key',
  grant: 'grt',
  category: 'cat',
  livestream: 'str',
  message: 'msg',
  ban: 'ban',
  subscription: 'sub',
  event: 'evt',
  delivery: 'dlv',
  audit: 'aud',
  overlay: 'ovl',
  request: 'req',
  mail: 'mai',
  thumbnail: 'thm',
  passkey: 'psk',
  challenge: 'chl',
  invitation: 'inv',
} as const
export type Kind = keyof typeof prefixes

const RANDOM_LENGTH = 16
const SHAPE = new RegExp(`^[${BASE32}]{${TIME_DIGITS + RANDOM_LENGTH}}$`)

/**
 * `msg_` + a UUIDv7 (RFC 9562, section 5.7) in 26 characters, 5 bits each. Ten of them are the milliseconds of `at`, so
 * identifiers sort by the time of their creation and tables can be partitioned by them.
 */
export function newId(kind: Kind, at: Date): string {
  return lowerBound(kind, at) + randomPart()
}

/** The prefix that all identifiers made in the millisecond of `at` share; it sorts before any of them. */
export function lowerBound(kind: Kind, at: Date): string {
  return idPrefixAt(prefixes[kind], at)
}

/** Whether a caller's string has the form of an identifier of this kind. What has not is never looked up. */
export function isId(kind: Kind, value: string): boolean {
  const prefix = prefixes[kind]
  return value.startsWith(`${prefix}_`) && SHAPE.test(value.slice(prefix.length + 1))
}

/** When an identifier of ours was made, to the millisecond. */
export function createdAtOf(id: string): Date {
  return new Date(decodeTime(id))
}

const pool = new Uint8Array(RANDOM_LENGTH * 256)
let used = pool.length

/** 80 bits after the time: the version 7 in the first four, the variant 10 in bits 17 and 18, the rest random. */
function randomPart(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  let text = ''
  for (let i = 0; i < RANDOM_LENGTH; i++) {
    let bits = (pool[used++] ?? 0) & 31
    if (i === 0) bits = 0b01110 | (bits & 1)
    if (i === 3) bits = 0b01000 | (bits & 0b10011)
    text += BASE32[bits]
  }
  return text
}
