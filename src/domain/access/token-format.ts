import { createHmac, randomFillSync } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** The prefix says what a token is, so that no kind passes for another and secret scanners find leaked ones. */
const prefixes = {
  access: 'lsat',
  refresh: 'lsrt',
  code: 'lsac',
  device: 'lsdc',
  secret: 'lscs',
  key: 'lsk',
  overlay: 'lsok',
  link: 'lsml',
  stream: 'lssk',
} as const

export type TokenKind = keyof typeof prefixes

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BODY_LENGTH = 43 // 256 bits in base 62
const CHECKSUM_LENGTH = 6 // 32 bits
const TAIL = new RegExp(`^[0-9A-Za-z]{${BODY_LENGTH + CHECKSUM_LENGTH}}$`)

const words: Record<TokenKind, string> = {
  access: 'an access token',
  refresh: 'a refresh token',
  code: 'an authorization code',
  device: 'a device code',
  secret: 'a client secret',
  key: 'an API key',
  overlay: 'an overlay key',
  link: 'the token of a link in a mail',
  stream: 'a stream key',
}

/** What a text is by its form, in words for whoever put it in the wrong place; undefined for what is no token. */
export function tokenWords(text: string): string | undefined {
  const kind = (Object.keys(words) as TokenKind[]).find((one) => isWellFormed(one, text))
  return kind && words[kind]
}

/** A new token: `<prefix>_`, 43 random base 62 digits (256 bits), and the CRC32 of all that in six more digits. */
export function mint(kind: TokenKind): string {
  return seal(kind, randomDigits(BODY_LENGTH))
}

/** Whether a text has the form of such a token, checksum included: malformed ones are refused without a query. */
export function isWellFormed(kind: TokenKind, token: string): boolean {
  const start = `${prefixes[kind]}_`
  if (!token.startsWith(start) || !TAIL.test(token.slice(start.length))) return false
  const unchecked = token.slice(0, -CHECKSUM_LENGTH)
  return unchecked + checksum(unchecked) === token
}

/**
 * The refresh token that follows another one. Under one key it is always the same: a client that lost the response gets
 * the same successor again, and no token has to be stored in clear.
 */
export function successorOf(refreshToken: string, key: Buffer): string {
  return seal('refresh', base62(createHmac('sha256', key).update('rt-rotate\0').update(refreshToken).digest()))
}

/** What may be shown of a token later, to recognise it: its end does not help to guess the rest. */
export function last4Of(token: string): string {
  return token.slice(-4)
}

function seal(kind: TokenKind, body: string): string {
  const unchecked = `${prefixes[kind]}_${body}`
  return unchecked + checksum(unchecked)
}

const checksum = (text: string) => digitsOf(crc32(text), CHECKSUM_LENGTH)

const pool = new Uint8Array(4096)
let used = pool.length

/** Six random bits that are no digit are thrown away, so that all digits are equally likely. */
function randomDigits(length: number): string {
  let text = ''
  while (text.length < length) {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    text += DIGITS[(pool[used++] ?? 0) & 63] ?? ''
  }
  return text
}

const CHUNK_LENGTH = 8
const CHUNK = 62n ** BigInt(CHUNK_LENGTH) // a remainder fits a number exactly, and numbers divide faster than bigints

/** 32 bytes as a number of 43 digits. */
function base62(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  while (text.length < BODY_LENGTH) {
    text = digitsOf(Number(rest % CHUNK), CHUNK_LENGTH) + text
    rest /= CHUNK
  }
  return text.slice(-BODY_LENGTH)
}

function digitsOf(number: number, length: number): string {
  let rest = number
  let text = ''
  for (let i = 0; i < length; i++) {
    text = DIGITS[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}
