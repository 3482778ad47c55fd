import type { Context } from '../../core/context.ts'
import { expandFanout } from '../../events/fanout.ts'
import { checkDue } from '../queue/due-check.ts'
import { sweepStopped } from '../queue/sweep.ts'
import type { Engine } from './engine.ts'

/** At the latest after so long the loop looks by itself. */
export const TICK_MS = 1_000
const SWEEP_MS = 5_000
/** Retries have a spread of seconds, so looking for them at every commit would be waste. */
export const RETRIES_MS = 100

/** The rounds of the loop: sweep now and then, expand, claim first attempts, then retries. */
export class DeliveryLoop {
  readonly #ctx: Context
  readonly #engine: Engine
  #sweptAt = Number.NEGATIVE_INFINITY
  #retriedAt = Number.NEGATIVE_INFINITY

  constructor(ctx: Context, engine: Engine) {
    this.#ctx = ctx
    this.#engine = engine
  }

  /** One round; returns for how many milliseconds the next may wait. What is due and cannot be claimed is no reason to spin. */
  async next(): Promise<number> {
    await this.#sweepNowAndThen()
    const pulse = await checkDue(this.#ctx)
    if (pulse.has_fanouts && (await expandFanout(this.#ctx))) return 0
    if (pulse.due_ms === null) return TICK_MS
    if (pulse.due_ms > 0) return Math.min(pulse.due_ms, TICK_MS)
    return this.#claim(pulse.has_retries)
  }

  async #claim(hasRetries: boolean): Promise<number> {
    let begun = await this.#engine.claim(0)
    const pauseMs = hasRetries ? this.#retriedAt + RETRIES_MS - performance.now() : TICK_MS
    if (pauseMs <= 0) {
      this.#retriedAt = performance.now()
      begun += await this.#engine.claim(1)
    }
    if (begun > 0) return 0
    return pauseMs > 0 ? pauseMs : TICK_MS
  }

  async #sweepNowAndThen() {
    if (performance.now() - this.#sweptAt < SWEEP_MS) return
    this.#sweptAt = performance.now()
    this.#engine.forgetOldKeys()
    await sweepStopped(this.#ctx)
  }
}
