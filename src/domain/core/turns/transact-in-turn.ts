import type { Database } from '../../../db/client.ts'
import { poolSizes } from '../../../db/pools.ts'
import type { Caller } from '../caller.ts'
import type { ActorContext } from '../context.ts'
import { Problem } from '../problem.ts'
import { type InTransaction, isInTransaction, transact } from '../transaction.ts'
import { FairTurns } from './fair-turns.ts'
import { askerOf } from './take-turn.ts'

/** The other connections are left to what waits for nobody. */
const PLACES = poolSizes.fast / 2
/** As many requests of one address are let in at a time. */
const WAITING_MAX = 250
/** What begins then and takes as long as a statement may (5 s) still ends before the request's deadline (9.5 s): what was answered 503 is not done. */
const WAIT_MS = 4_000
/** These transactions are short: whoever waits so long waits for the database, and is not blamed for asking twice. */
const late = () =>
  new Problem('unavailable', 'What was asked for before is still being done; try again.', { retryAfterS: 1 })

// Module state, because the connections are the process's
const turnsOver = new WeakMap<Database, FairTurns>()
const copiesOver = new WeakMap<Database, FairTurns>()

/**
 * `transact` for work that takes a lock which other work of the same asker waits for: of each asker one runs in a process, so that what
 * would wait for the lock holds no connection, which others would lack. Throws `rate_limited` where too much of the same asker waits
 * already, and `unavailable` after `waitMs`, or when nobody waits for the answer any more: who is gone has tried again meanwhile.
 */
export async function transactInTurn<Of extends ActorContext & { caller?: Caller }, Result>(
  ctx: Of,
  work: (tx: InTransaction<Of>) => Promise<Result>,
  waitMs = WAIT_MS,
): Promise<Result> {
  if (isInTransaction(ctx)) return work(ctx)
  const turns = turnsOver.get(ctx.db) ?? new FairTurns({ places: PLACES, waitingMax: WAITING_MAX, late })
  turnsOver.set(ctx.db, turns)
  return turns.take(askerOf(ctx.principal), { waitMs, caller: ctx.caller }, () => transact(ctx, work))
}

/**
 * Has the copies of one request that this process is asked for done one after the other; `work` is told for how long it may still wait
 * for a turn. Throws `unavailable` as `transactInTurn` does.
 */
export function copiesInTurn<Result>(
  { db, caller }: { db: Database; caller?: Caller },
  request: string,
  work: (waitMs: number) => Promise<Result>,
): Promise<Result> {
  const places = Number.POSITIVE_INFINITY
  const turns = copiesOver.get(db) ?? new FairTurns({ places, waitingMax: WAITING_MAX, late, refusal: late })
  copiesOver.set(db, turns)
  const until = performance.now() + WAIT_MS
  return turns.take(request, { waitMs: WAIT_MS, caller }, () => work(Math.max(0, until - performance.now())))
}
