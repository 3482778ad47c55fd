import { setTimeout as after } from 'node:timers/promises'
import { isRetryable, isUnavailable } from '../../../db/db-error.ts'
import { mendPartitions } from '../../../db/partitions.ts'
import type { Context } from '../../core/context.ts'
import { renewLeases, type Settled, settle } from '../queue/settle.ts'
import type { Settlement } from '../queue/settlement.ts'
import { deliveryMetrics } from './metrics.ts'

/** How long a result waits for others to be written with. */
const GATHER_MS = 4
const BATCH_MAX = 128
/** With so many, the batch is written at once. */
const GATHERED_ENOUGH = 64
const RENEW_MS = 7_500
const PAUSE_MAX_MS = 1_000

/**
 * Gathers results of attempts and writes them in batches. While the database is unavailable it retries and renews their
 * leases. A delivery whose lease ends before that is sent again by another worker, with the same id.
 */
export class SettleBatcher {
  readonly #ctx: Context
  readonly #onSettled: (batch: readonly Settlement[], settled: Settled) => void
  readonly #giveUp = new AbortController()
  #waiting: Settlement[] = []
  #writing: Settlement[] = []
  #run: Promise<void> | undefined
  #gather: NodeJS.Timeout | undefined
  #renewal: NodeJS.Timeout | undefined
  /** Why the last write failed; undefined once one succeeded. */
  failure: unknown

  constructor(ctx: Context, onSettled: (batch: readonly Settlement[], settled: Settled) => void) {
    this.#ctx = ctx
    this.#onSettled = onSettled
  }

  get pending(): number {
    return this.#waiting.length + this.#writing.length
  }

  push(settlement: Settlement) {
    this.#waiting.push(settlement)
    if (this.#run !== undefined) return
    if (this.#waiting.length >= GATHERED_ENOUGH) this.#start()
    else this.#gather ??= setTimeout(() => this.#start(), GATHER_MS)
  }

  /** Resolves when all results are written, and gives up after `ms`. */
  async drained(ms: number): Promise<void> {
    const limit = setTimeout(() => this.#giveUp.abort(), ms)
    while (this.pending > 0 && !this.#giveUp.signal.aborted) {
      this.#start()
      await this.#run
    }
    clearTimeout(limit)
  }

  #start() {
    clearTimeout(this.#gather)
    this.#gather = undefined
    this.#run ??= this.#writeAll().finally(() => {
      clearInterval(this.#renewal)
      this.#renewal = undefined
      this.#run = undefined
      if (this.#waiting.length > 0 && !this.#giveUp.signal.aborted) this.#start()
    })
  }

  async #writeAll() {
    this.#renewal ??= setInterval(() => this.#renew(), RENEW_MS)
    while (this.#waiting.length > 0 && !this.#giveUp.signal.aborted) {
      this.#writing = this.#waiting.splice(0, BATCH_MAX)
      await this.#write(this.#writing)
      this.#writing = []
    }
  }

  async #write(batch: Settlement[]): Promise<void> {
    for (let failures = 0; !this.#giveUp.signal.aborted; failures++) {
      try {
        const settled = await settle(this.#ctx, batch)
        this.failure = undefined
        return this.#onSettled(batch, settled)
      } catch (error) {
        this.failure = error
        if (!(await this.#isWorthRetrying(error, failures))) return this.#writeHalves(batch, error)
      }
    }
  }

  async #isWorthRetrying(error: unknown, failures: number): Promise<boolean> {
    if (isRetryable(error) || isUnavailable(error)) {
      deliveryMetrics.settleRetries++
      const pause = Math.min(PAUSE_MAX_MS, 50 * 2 ** failures)
      await after(pause, undefined, { signal: this.#giveUp.signal }).catch(() => {})
      return true
    }
    return failures < 3 && mendPartitions(this.#ctx.db, error).catch(() => false)
  }

  /**
   * Writes the halves of a batch that the database refuses, so that one bad result does not hold up the others. Its
   * delivery becomes due again when its lease ends.
   */
  async #writeHalves(batch: Settlement[], error: unknown): Promise<void> {
    const [first, ...others] = batch
    if (first && others.length === 0) {
      this.#ctx.log.error({ err: error, delivery: first.id }, 'The result of a webhook attempt could not be stored')
      return
    }
    const middle = Math.ceil(batch.length / 2)
    await this.#write(batch.slice(0, middle))
    await this.#write(batch.slice(middle))
  }

  #renew() {
    const held = [...this.#writing, ...this.#waiting]
    if (held.length > 0) renewLeases(this.#ctx, held).catch(() => {}) // settling finds out which leases were lost
  }
}
