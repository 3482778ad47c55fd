import type { Context } from '../../core/context.ts'
import { expandFanout } from '../../events/fanout.ts'

/**
 * Writes the deliveries of events with many receivers, step by step, beside the claims: neither waits for the other, however
 * many events there are, and however much there is to claim.
 */
export class Fanouts {
  readonly #ctx: Context
  readonly #onStep: () => void
  #run: Promise<void> | undefined
  #failure: unknown
  #isStopping = false

  /** `onStep` is called when there are new deliveries, and when all are written. */
  constructor(ctx: Context, onStep: () => void) {
    this.#ctx = ctx
    this.#onStep = onStep
  }

  get isRunning(): boolean {
    return this.#run !== undefined
  }

  /** Begins to write all that there are, unless that is being done. Throws what has ended the run before, once. */
  begin(): void {
    this.rethrow()
    if (this.#isStopping) return
    this.#run ??= this.#writeAll()
      .catch((error: unknown) => {
        this.#failure = error
      })
      .finally(() => {
        this.#run = undefined
        this.#onStep()
      })
  }

  /** Throws what has ended the last run, once. */
  rethrow(): void {
    const failure = this.#failure
    this.#failure = undefined
    if (failure !== undefined) throw failure
  }

  /** Resolves when the step that is being written, if any, has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#run
  }

  async #writeAll(): Promise<void> {
    for (let after = ''; !this.#isStopping; ) {
      const channel = await expandFanout(this.#ctx, undefined, after)
      if (channel === undefined && after === '') return
      after = channel ?? ''
      this.#onStep()
    }
  }
}
