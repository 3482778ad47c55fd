/** Crockford base 32, lower case: its digits sort like the numbers that they stand for. */
export const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz'

/** Ten digits hold 50 bits: milliseconds since 1970 until the year 37648. */
export const TIME_DIGITS = 10

let lastMs = -1
let lastText = ''

/**
 * Milliseconds since 1970 as the ten characters that begin an identifier, after its prefix. Texts of this form sort by time.
 * The last one is kept, because many identifiers are made in the same millisecond.
 */
function encodeTime(ms: number): string {
  if (ms === lastMs) return lastText
  let rest = ms
  let text = ''
  for (let i = 0; i < TIME_DIGITS; i++) {
    text = BASE32[rest % 32] + text
    rest = Math.floor(rest / 32)
  }
  lastMs = ms
  lastText = text
  return text
}

/** The beginning of every identifier with this prefix that is made in the millisecond of `at`; it sorts before all of them. */
export function idPrefixAt(prefix: string, at: Date): string {
  return `${prefix}_${encodeTime(at.getTime())}`
}

/** The milliseconds since 1970 with which an identifier begins, after its prefix and `_`. */
export function decodeTime(id: string): number {
  const digits = id.slice(id.indexOf('_') + 1).slice(0, TIME_DIGITS)
  return [...digits].reduce((ms, digit) => ms * 32 + BASE32.indexOf(digit), 0)
}
