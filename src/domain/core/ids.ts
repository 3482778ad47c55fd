import { randomFillSync } from 'node:crypto'

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
} as const
export type Kind = keyof typeof prefixes

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz' // Crockford base 32, lower case
const TIME_LENGTH = 10
const RANDOM_LENGTH = 16
const SHAPE = new RegExp(`^[${ALPHABET}]{${TIME_LENGTH + RANDOM_LENGTH}}$`)

/**
 * `msg_` + a UUIDv7 (RFC 9562, section 5.7) in 26 characters, 5 bits each. Ten of them are the milliseconds of `at`, so
 * identifiers sort by the time of their birth and tables can be partitioned by them.
 */
export function newId(kind: Kind, at: Date): string {
  return lowerBound(kind, at) + randomPart()
}

/** The beginning of every identifier that is made in the millisecond of `at`; smaller than any of them. */
export function lowerBound(kind: Kind, at: Date): string {
  return `${prefixes[kind]}_${timePart(at.getTime())}`
}

/** Whether a caller's string can be an identifier of this kind at all; what cannot is never looked up. */
export function isId(kind: Kind, value: string): boolean {
  const prefix = prefixes[kind]
  return value.startsWith(`${prefix}_`) && SHAPE.test(value.slice(prefix.length + 1))
}

/** When an identifier of ours was made, to the millisecond. */
export function createdAtOf(id: string): Date {
  const time = id.slice(id.indexOf('_') + 1).slice(0, TIME_LENGTH)
  return new Date([...time].reduce((ms, digit) => ms * 32 + ALPHABET.indexOf(digit), 0))
}

let lastTime = -1
let lastTimePart = ''

function timePart(ms: number): string {
  if (ms === lastTime) return lastTimePart
  let rest = ms
  let text = ''
  for (let i = 0; i < TIME_LENGTH; i++) {
    text = ALPHABET[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  lastTime = ms
  lastTimePart = text
  return text
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
    text += ALPHABET[bits]
  }
  return text
}
