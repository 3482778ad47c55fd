import { httpDate } from '../../../time/http-date.ts'

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S

/** The pause before each further attempt, in seconds. */
const pausesS = [5, 5 * MINUTE_S, 30 * MINUTE_S, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_S)] as const

/** The first attempt and one after each pause. */
export const ATTEMPTS_MAX = pausesS.length + 1

const JITTER = 0.2
export const RETRY_AFTER_MAX_S = HOUR_S

/**
 * Seconds until the next attempt when `attempts` have failed, varied by ±20 % by `random` (0 to 1), and at least
 * `retryAfterS`. Undefined when all ten are used up.
 */
export function retryDelayS(attempts: number, retryAfterS = 0, random = Math.random): number | undefined {
  const pauseS = pausesS[attempts - 1]
  if (pauseS === undefined) return undefined
  return Math.max(pauseS * (1 - JITTER + 2 * JITTER * random()), retryAfterS)
}

/**
 * Seconds that `Retry-After` (RFC 9110, section 10.2.3) asks for: a number, or a date against `nowMs`; at most an hour.
 * Undefined for what is zero, negative, past or neither.
 */
export function retryAfterS(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  const text = header.trim()
  const seconds = /^\d+$/.test(text) ? Number(text) : (httpDate(text, nowMs) - nowMs) / 1000
  return seconds > 0 ? Math.min(seconds, RETRY_AFTER_MAX_S) : undefined
}
