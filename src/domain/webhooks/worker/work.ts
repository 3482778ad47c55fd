import { isRetryable, isUnavailable } from '../../../db/db-error.ts'
import { EdgeLogger } from '../../../telemetry/edge-logger.ts'
import { within } from '../../../time/within.ts'
import type { Context } from '../../core/context.ts'
import { DEADLINE_MS } from '../http/transport.ts'
import type { WorkCounts } from './counts.ts'
import { Engine, type EngineOptions } from './engine.ts'
import { Fanouts } from './fanouts.ts'
import { DeliveryLoop, POLL_MS, RETRIES_MS } from './loop.ts'
import { sweepQueue, sweepsEnded } from './queue-sweeps.ts'

const PAUSE_FIRST_MS = 50
const STOP_MS = 8_000
/** A call with a budget waits for a round of sweeps for this share of it; then the round goes on beside it. */
const SWEEPS_SHARE = 0.1

export type WorkOptions = EngineOptions & {
  /** Claims for this time less the deadline of an attempt, then waits for what it began. Without a budget: until `signal`. */
  budgetMs?: number | undefined
  signal?: AbortSignal | undefined
  /** How long attempts may go on after `signal`; by default 8 s. */
  graceMs?: number | undefined
  /** Registers a function to be called whenever there may be something to do. Returns how to unregister it. */
  onWake?: ((wake: () => void) => () => void) | undefined
}

/**
 * Delivers what is due: the one function behind the worker, the cron operation and the command line. Calls may overlap, in
 * one process or in many, because rows are leased. Returns what this call settled. With a budget it throws when the
 * database is unavailable; without one it waits for the database and ends only by `signal`.
 */
export async function workDeliveries(ctx: Context, options: WorkOptions = {}): Promise<WorkCounts> {
  const { budgetMs, signal, graceMs = STOP_MS } = options
  const engine = new Engine(ctx, options)
  const fanouts = new Fanouts(ctx, engine.changed.notify)
  const stopWaking = options.onWake?.(engine.changed.notify)
  const end = performance.now() + (budgetMs ?? Number.POSITIVE_INFINITY)
  try {
    if (budgetMs === undefined) await serve(ctx, new DeliveryLoop(ctx, engine, fanouts), { engine, signal })
    else await drain(ctx, { engine, fanouts, budgetMs, end, signal })
  } finally {
    stopWaking?.()
    const stopMs = Math.min(graceMs, Math.max(end - performance.now(), 0))
    const sweeps = budgetMs === undefined && within(stopMs, sweepsEnded(ctx), () => {})
    await Promise.all([engine.stop(stopMs), fanouts.stop(), sweeps])
  }
  if (budgetMs !== undefined && engine.failure) throw engine.failure
  return engine.counter.counts
}

type Serving = { engine: Engine; signal: AbortSignal | undefined }

/** Works until `signal`. No error ends it: it waits out restarts, failovers and deadlocks of the database. */
async function serve(ctx: Context, loop: DeliveryLoop, { engine, signal }: Serving): Promise<void> {
  const edge = new EdgeLogger(ctx.log, { down: 'Webhook delivery interrupted', up: 'Webhook delivery resumed' })
  for (let failures = 0; !signal?.aborted; ) {
    let pauseMs = 0
    try {
      pauseMs = await loop.pass()
      edge.up()
      failures = 0
    } catch (error) {
      edge.down({ err: error }, isUnavailable(error) || isRetryable(error) ? 'warn' : 'error')
      pauseMs = Math.min(POLL_MS, PAUSE_FIRST_MS * 2 ** failures++)
    }
    await engine.changed.wait(pauseMs, signal)
  }
}

type Draining = Serving & { fanouts: Fanouts; budgetMs: number; end: number }

/** Works off what is due now, and what becomes claimable by that, until nothing is left or the budget ends. */
async function drain(ctx: Context, { engine, fanouts, budgetMs, end, signal }: Draining): Promise<void> {
  await within(budgetMs * SWEEPS_SHARE, sweepQueue(ctx), () => {})
  const claim = claimsOf(engine)
  const isIdle = () => engine.isIdle && !fanouts.isRunning
  const claimUntil = Math.max(end - DEADLINE_MS, performance.now() + 1)
  fanouts.begin()
  while (performance.now() < end && !signal?.aborted) {
    const wasIdle = isIdle() // read before the claim: what ends during it makes room, or work, that the claim did not see
    if (performance.now() < claimUntil && (await claim()) > 0) continue
    if (wasIdle) return fanouts.rethrow()
    if (!isIdle()) await engine.changed.wait(Math.min(POLL_MS, end - performance.now()), signal)
  }
}

/** Each call claims first attempts, and retries as well when there are no first attempts or it did not claim any lately. */
function claimsOf(engine: Engine): () => Promise<number> {
  let retriesClaimedAt = Number.NEGATIVE_INFINITY
  return async () => {
    const first = await engine.claim(0)
    if (first > 0 && performance.now() < retriesClaimedAt + RETRIES_MS) return first
    retriesClaimedAt = performance.now()
    return first + (await engine.claim(1))
  }
}
