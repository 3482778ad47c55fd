import type { Context } from '../../core/context.ts'
import { checkDue } from '../queue/due-check.ts'
import type { Engine } from './engine.ts'
import type { Fanouts } from './fanouts.ts'
import { sweepQueue } from './queue-sweeps.ts'

/** The longest pause between two passes when nothing wakes the loop. */
export const POLL_MS = 1_000
const SWEEP_MS = 5_000
/** Retries are spread over seconds, so claiming them at every commit would be a waste. */
export const RETRIES_MS = 100

/**
 * One pass of the worker after the other. Each begins a round of sweeps if that is due, and to write the deliveries of events
 * with many receivers if there are any, without waiting for either, and claims first attempts and then retries.
 */
export class DeliveryLoop {
  readonly #ctx: Context
  readonly #engine: Engine
  readonly #fanouts: Fanouts
  #sweptAt = Number.NEGATIVE_INFINITY
  #retriesClaimedAt = Number.NEGATIVE_INFINITY

  constructor(ctx: Context, engine: Engine, fanouts: Fanouts) {
    this.#ctx = ctx
    this.#engine = engine
    this.#fanouts = fanouts
  }

  /** One pass. Returns how many milliseconds the next may wait: not 0 for rows that are due but cannot be claimed now. */
  async pass(): Promise<number> {
    this.#sweepRegularly()
    const due = await checkDue(this.#ctx)
    if (due.has_fanouts) this.#fanouts.begin()
    if (due.due_ms === null) return POLL_MS
    if (due.due_ms > 0) return Math.min(due.due_ms, POLL_MS)
    return this.#claim(due.has_retries)
  }

  async #claim(hasRetries: boolean): Promise<number> {
    let begun = await this.#engine.claim(0)
    const pauseMs = hasRetries ? this.#retriesClaimedAt + RETRIES_MS - performance.now() : POLL_MS
    if (pauseMs <= 0) {
      this.#retriesClaimedAt = performance.now()
      begun += await this.#engine.claim(1)
    }
    if (begun > 0) return 0
    return pauseMs > 0 ? pauseMs : POLL_MS
  }

  #sweepRegularly() {
    if (performance.now() - this.#sweptAt < SWEEP_MS) return
    this.#sweptAt = performance.now()
    this.#engine.forgetOldKeys()
    void sweepQueue(this.#ctx)
  }
}
