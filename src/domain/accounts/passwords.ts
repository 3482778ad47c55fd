import { randomBytes } from 'node:crypto'
import { hash, parseOptions, verify } from '@node-rs/argon2'
import { PASSWORD_LENGTH_MIN } from '../../shared/limits.ts'
import { Problem } from '../core/problem.ts'

/** argon2id (the package's default), at the cost of some 9 ms and 19 MiB each. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const LENGTH_MAX = 256
const AT_A_TIME = 4

/** Throws `invalid_request`, in the name of `field`, for a password that is too short or too long. It is taken as typed. */
export function requirePassword(field: string, password: string): void {
  const { length } = [...password]
  if (length >= PASSWORD_LENGTH_MIN && length <= LENGTH_MAX) return
  throw new Problem('invalid_request', `${field}: must have ${PASSWORD_LENGTH_MIN} to ${LENGTH_MAX} characters.`)
}

/** The hash to store, in the PHC string format. */
export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password, COST))

/** Whether a password is the one behind a hash; without a hash the answer is no, after the same work. */
export async function isPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const nobodys = await hashOfNobody()
  if (password.length > LENGTH_MAX * 2) return false // in UTF-16; whoever it is, none is that long
  const isRight = await inTurn(() => verify(stored ?? nobodys, password))
  return isRight && stored !== null && stored !== undefined
}

/** Whether a hash was made at another cost than today's. */
export function isOutdated(stored: string): boolean {
  const { memoryCost, timeCost, parallelism } = parseOptions(stored)
  return memoryCost !== COST.memoryCost || timeCost !== COST.timeCost || parallelism !== COST.parallelism
}

let nobody: Promise<string> | undefined

/** Of a password that nobody knows. */
function hashOfNobody(): Promise<string> {
  nobody ??= hash(randomBytes(32), COST)
  return nobody
}

let running = 0
const waiting: (() => void)[] = []

/** The machine has only so many cores and so much memory, whoever asks: further hashes wait for a free place. */
async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
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
