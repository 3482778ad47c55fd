import type { Database } from '../../../db/client.ts'
import { poolSizes } from '../../../db/pools.ts'
import { readUpToDate } from '../../../db/replica.ts'
import type { Actor } from '../actor.ts'
import type { Caller } from '../caller.ts'
import type { ActorContext } from '../context.ts'
import { FairTurns } from './fair-turns.ts'

/** Of the slow connections one is always left to what nobody asked for: what is counted and noted, what expires, sweeps. */
const PLACES = poolSizes.slow - 1
/** More than any page of the console asks for at once. */
const WAITING_MAX = 20
/** Each asker waits here with one alone: more than there are members of an application. */
const MEMBERS_WAITING_MAX = 100
/** With the statement behind it less than the 9.5 s of a request, so that who was refused by then has nothing run. */
const WAIT_MS = 4_000

/** Of the reads of one asker, and between askers; an asker is whoever calls, or the owner whose application's members do. */
type Lanes = { askers: FairTurns; places: FairTurns }
// Module state, because the connections for slow statements are the process's
const lanesOver = new WeakMap<Database, Lanes>()

type Asking = Pick<ActorContext, 'slow' | 'replica' | 'principal'> & { caller?: Caller | undefined }
/** `owner`: of the one application that is read, which the asker has to belong to. */
type TurnOptions = { owner?: string | null | undefined; waitMs?: number }

/**
 * Reads by `readUpToDate` when it is the turn of who asks: of each person and of the applications of each owner one such read runs in a
 * process, and further ones wait. `read` makes one statement at a time, and takes no turn itself. Throws as `takeTurn` does.
 */
export function readInTurn<Result>(
  ctx: Asking,
  read: (db: Database) => Promise<Result>,
  options?: TurnOptions,
): Promise<Result> {
  return takeTurn(ctx, () => readUpToDate(ctx, read), options)
}

/**
 * Does work with statements on the slow pool when it is the turn of who asks, as `readInTurn` does. Throws `rate_limited` or
 * `unavailable` where that was not within `waitMs`, or the caller is gone before, and then the work is not done at all.
 */
export function takeTurn<Result>(
  ctx: Asking,
  work: () => Promise<Result>,
  { owner, waitMs = WAIT_MS }: TurnOptions = {},
): Promise<Result> {
  const { askers, places } = lanesOf(ctx.slow)
  const asker = askerOf(ctx.principal)
  const until = performance.now() + waitMs
  const left = () => Math.max(0, until - performance.now())
  const { caller } = ctx
  return askers.take(asker, { waitMs, caller }, () =>
    places.take(placeOf(ctx.principal, owner), { waitMs: left(), caller }, work),
  )
}

/** All members of an owner's applications have one place together, so that many of them ask for no more than one; the owner waits for none of them. */
function placeOf(principal: Actor, owner: TurnOptions['owner']): string {
  const isMember = principal.kind === 'user' && principal.clientId === null && principal.userId !== owner
  return owner && isMember ? `members of ${owner}` : askerOf(principal)
}

/** The owner of applications asks by all of them. */
export function askerOf(principal: Actor): string {
  switch (principal.kind) {
    case 'user':
      return principal.userId
    case 'application':
      return principal.ownerId ?? principal.clientId
    case 'operator':
      return 'operator'
  }
}

function lanesOf(slow: Database): Lanes {
  const found = lanesOver.get(slow) ?? {
    askers: new FairTurns({ places: Number.POSITIVE_INFINITY, waitingMax: WAITING_MAX }),
    places: new FairTurns({ places: PLACES, waitingMax: MEMBERS_WAITING_MAX }),
  }
  lanesOver.set(slow, found)
  return found
}
