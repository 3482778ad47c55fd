import type { Database } from '../../../db/client.ts'
import { poolSizes } from '../../../db/pools.ts'
import { readUpToDate } from '../../../db/replica.ts'
import type { Actor } from '../actor.ts'
import type { ActorContext } from '../context.ts'
import { FairTurns } from './fair-turns.ts'

/** Of the slow connections one is always left to what nobody asked for: what is counted and noted, what expires, sweeps. */
const PLACES = poolSizes.slow - 1
/** More than any page of the console asks for at once. */
const WAITING_MAX = 20
/** With the statement behind it less than the 9.5 s of a request, so that who was refused by then has nothing run. */
const WAIT_MS = 4_000

// Module state, because the connections for slow statements are the process's
const turnsOver = new WeakMap<Database, FairTurns>()

type Asking = Pick<ActorContext, 'slow' | 'replica' | 'principal'>

/**
 * Reads by `readUpToDate` when it is the turn of who asks: of each person and of the applications of each owner one such read runs in a
 * process, and further ones wait. `read` makes one statement at a time, and takes no turn itself. Throws as `takeTurn` does.
 */
export function readInTurn<Result>(ctx: Asking, read: (db: Database) => Promise<Result>): Promise<Result> {
  return takeTurn(ctx, () => readUpToDate(ctx, read))
}

/**
 * Does work with statements on the slow pool when it is the turn of who asks, as `readInTurn` does. Throws `rate_limited` or
 * `unavailable` where that was not within `waitMs`, and then the work is not done at all.
 */
export function takeTurn<Result>(ctx: Asking, work: () => Promise<Result>, waitMs = WAIT_MS): Promise<Result> {
  return turnsOf(ctx.slow).take(whose(ctx.principal), waitMs, work)
}

function whose(principal: Actor): string {
  switch (principal.kind) {
    case 'user':
      return principal.userId
    case 'application':
      return principal.ownerId ?? principal.clientId
    case 'operator':
      return 'operator'
  }
}

function turnsOf(slow: Database): FairTurns {
  const found = turnsOver.get(slow) ?? new FairTurns({ places: PLACES, waitingMax: WAITING_MAX })
  turnsOver.set(slow, found)
  return found
}
