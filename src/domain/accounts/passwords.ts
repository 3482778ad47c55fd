import { randomBytes } from 'node:crypto'
import { hash, parseOptions, verify } from '@node-rs/argon2'
import { PASSWORD_LENGTH_MIN } from '../../shared/limits.ts'
import { Problem } from '../core/problem.ts'

/** argon2id (the package's default); each hash takes about 9 ms and 19 MiB. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const LENGTH_MAX = 256
const AT_A_TIME = 4
/** About two seconds of hashes. */
const WAITING_MAX = 400

/**
 * Throws `invalid_request`, in the name of `field`, for a password that is too short or too long. Passwords are not
 * normalised.
 */
export function requirePassword(field: string, password: string): void {
  const { length } = [...password]
  if (length >= PASSWORD_LENGTH_MIN && length <= LENGTH_MAX) return
  throw new Problem('invalid_request', `${field}: must have ${PASSWORD_LENGTH_MIN} to ${LENGTH_MAX} characters.`)
}

/** The hash to store, in the PHC string format. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, COST))

/** Whether a password matches a hash. Without a hash the result is false, after the same work. */
export async function isPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const nobodys = await hashOfNobody()
  if (password.length > LENGTH_MAX * 2) return false // counted in UTF-16; no valid password is that long
  const isRight = await inTurn(() => verify(stored ?? nobodys, password))
  return isRight && stored !== null && stored !== undefined
}

/** Whether a hash was made with other cost parameters than today's. */
export function isOutdated(stored: string): boolean {
  const { memoryCost, timeCost, parallelism } = parseOptions(stored)
  return memoryCost !== COST.memoryCost || timeCost !== COST.timeCost || parallelism !== COST.parallelism
}

let nobody: Promise<string> | undefined

/** The hash of a random password, to compare with when there is no account. */
function hashOfNobody(): Promise<string> {
  nobody ??= hash(randomBytes(32), COST)
  return nobody
}

let running = 0
const waiting: (() => void)[] = []

/**
 * Limits the hashes that run at once, since each takes a core and 19 MiB; further ones wait, and when that would take seconds they are
 * refused: nobody waits behind a crowd. Throws `unavailable`.
 */
async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (waiting.length >= WAITING_MAX)
    throw new Problem('unavailable', 'Too many passwords are being checked. Try again in a moment.', { retryAfterS: 2 })
  if (running < AT_A_TIME) running++
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}
