import { randomBytes } from 'node:crypto'
import { hash, parseOptions, verify } from '@node-rs/argon2'
import { PASSWORD_LENGTH_MIN } from '../../shared/limits.ts'
import type { Caller } from '../core/caller.ts'
import { Problem } from '../core/problem.ts'
import { placeOf } from '../core/rate-limits.ts'
import { FairTurns } from '../core/turns/fair-turns.ts'
import { PASSWORD_COST } from './password-cost.ts'

const LENGTH_MAX = 256
const AT_A_TIME = 4
/** Of one place, and for how long: about a second of hashes. */
const WAITING_MAX = 100
const WAIT_MS = 4_000
/** Nobody sends a command again for us, and a start that gave up would be no start: only what hangs meets this. */
const COMMAND_WAIT_MS = 10 * 60_000

/** Who has a password hashed; at the command line there is no caller. */
type Asking = { caller?: Caller }

/**
 * Throws `invalid_request`, in the name of `field`, for a password that is too short or too long. Passwords are not
 * normalised.
 */
export function requirePassword(field: string, password: string): void {
  const { length } = [...password]
  if (length >= PASSWORD_LENGTH_MIN && length <= LENGTH_MAX) return
  throw new Problem('invalid_request', `${field}: must have ${PASSWORD_LENGTH_MIN} to ${LENGTH_MAX} characters.`)
}

/** The hash to store, in the PHC string format. Throws `unavailable`. */
export const hashPassword = (asking: Asking, password: string): Promise<string> =>
  inTurn(asking, () => hash(password, PASSWORD_COST))

/** Whether a password matches a hash. Without a hash the result is false, after the same work. Throws `unavailable`. */
export async function isPassword(
  asking: Asking,
  password: string,
  stored: string | null | undefined,
): Promise<boolean> {
  const nobodys = await hashOfNobody()
  if (password.length > LENGTH_MAX * 2) return false // counted in UTF-16; no valid password is that long
  const isRight = await inTurn(asking, () => verify(stored ?? nobodys, password))
  return isRight && stored !== null && stored !== undefined
}

/** Whether a hash was made with other cost parameters than today's. */
export function isOutdated(stored: string): boolean {
  const { memoryCost, timeCost, parallelism } = parseOptions(stored)
  return (
    memoryCost !== PASSWORD_COST.memoryCost ||
    timeCost !== PASSWORD_COST.timeCost ||
    parallelism !== PASSWORD_COST.parallelism
  )
}

let nobody: Promise<string> | undefined

/** The hash of a random password, to compare with when there is no account. */
function hashOfNobody(): Promise<string> {
  nobody ??= hash(randomBytes(32), PASSWORD_COST)
  return nobody
}

/** Of each place one hash at a time: whoever sends hundreds keeps nobody else waiting for more than what runs. */
const turns = new FairTurns({
  places: AT_A_TIME,
  waitingMax: WAITING_MAX,
  refusal: () =>
    new Problem('unavailable', 'Too many passwords are being checked. Try again in a moment.', { retryAfterS: 2 }),
})
let commands = 0

/**
 * Limits the hashes that run at once, since each takes a core and 19 MiB; further ones wait, in turn with those of other places, and are
 * refused when there are too many or that takes seconds. A command, and the demo data of a start, wait for themselves alone, and as long as it
 * takes. Throws `unavailable`.
 */
function inTurn<Result>({ caller }: Asking, work: () => Promise<Result>): Promise<Result> {
  if (caller) return turns.take(placeOf(caller.address), { waitMs: WAIT_MS, caller }, work)
  return turns.take(`command ${++commands}`, { waitMs: COMMAND_WAIT_MS }, work)
}
