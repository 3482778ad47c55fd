import { isRetryable, isUnavailable } from '../../../db/db-error.ts'
import { EdgeLogger } from '../../../telemetry/edge-logger.ts'
import type { Context } from '../../core/context.ts'
import { expandFanout } from '../../events/fanout.ts'
import { DEADLINE_MS } from '../http/transport.ts'
import { sweepStopped } from '../queue/sweep.ts'
import type { WorkCounts } from './counts.ts'
import { Engine, type EngineOptions } from './engine.ts'
import { DeliveryLoop, RETRIES_MS, TICK_MS } from './loop.ts'

const PAUSE_FIRST_MS = 50
const STOP_MS = 8_000

export type WorkOptions = EngineOptions & {
  /** Claims for this long less the deadline of an attempt, then waits for what it began. Without it: until `signal`. */
  budgetMs?: number | undefined
  signal?: AbortSignal | undefined
  /** How long attempts may go on after `signal`: 8 s. */
  graceMs?: number | undefined
  /** Is given what to call whenever there may be something to do; returns how to stop that. */
  onWake?: ((wake: () => void) => () => void) | undefined
}

/**
 * Delivers what is due: the one function behind the worker, the cron door and the command line. Calls overlap safely, in
 * one process and in many: rows are leased. Returns what this call settled. With a budget it throws when the database is
 * away; without one it waits for it and ends only by `signal`, letting attempts finish for 8 s.
 */
export async function workDeliveries(ctx: Context, options: WorkOptions = {}): Promise<WorkCounts> {
  const { budgetMs, signal, graceMs = STOP_MS } = options
  const engine = new Engine(ctx, options)
  const stopWaking = options.onWake?.(engine.changed.ring)
  const end = performance.now() + (budgetMs ?? Number.POSITIVE_INFINITY)
  try {
    if (budgetMs === undefined) await serve(ctx, engine, signal)
    else await drain(ctx, engine, end, signal)
  } finally {
    stopWaking?.()
    await engine.stop(Math.min(graceMs, Math.max(end - performance.now(), 0)))
  }
  if (budgetMs !== undefined && engine.failure) throw engine.failure
  return engine.tally.counts
}

/** Until `signal`. No error ends it: restarts, failovers and deadlocks of the database are waited out. */
async function serve(ctx: Context, engine: Engine, signal: AbortSignal | undefined): Promise<void> {
  const rounds = new DeliveryLoop(ctx, engine)
  const edge = new EdgeLogger(ctx.log, { down: 'Webhook delivery interrupted', up: 'Webhook delivery resumed' })
  for (let failures = 0; !signal?.aborted; ) {
    let pauseMs = 0
    try {
      pauseMs = await rounds.next()
      edge.up()
      failures = 0
    } catch (error) {
      edge.down({ err: error }, isUnavailable(error) || isRetryable(error) ? 'warn' : 'error')
      pauseMs = Math.min(TICK_MS, PAUSE_FIRST_MS * 2 ** failures++)
    }
    await engine.changed.heard(pauseMs, signal)
  }
}

/** What is due now, and what becomes claimable by that, until nothing is or the budget ends. */
async function drain(ctx: Context, engine: Engine, end: number, signal: AbortSignal | undefined): Promise<void> {
  await prepare(ctx)
  const claim = claimsOf(engine)
  const claimUntil = Math.max(end - DEADLINE_MS, performance.now() + 1)
  while (performance.now() < end && !signal?.aborted) {
    const wasIdle = engine.isIdle // asked before the claim: what ends during it makes room that the claim did not see
    const begun = performance.now() < claimUntil ? await claim() : 0
    if (wasIdle && begun === 0) return
    const isWaiting = begun === 0 && !engine.isIdle
    if (isWaiting) await engine.changed.heard(Math.min(TICK_MS, end - performance.now()), signal)
  }
}

async function prepare(ctx: Context) {
  await sweepStopped(ctx)
  while (await expandFanout(ctx));
}

/** Each call claims first attempts, and retries too when there are none of those or nobody has looked for a while. */
function claimsOf(engine: Engine): () => Promise<number> {
  let retriedAt = Number.NEGATIVE_INFINITY
  return async () => {
    const first = await engine.claim(0)
    if (first > 0 && performance.now() < retriedAt + RETRIES_MS) return first
    retriedAt = performance.now()
    return first + (await engine.claim(1))
  }
}
