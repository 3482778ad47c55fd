import { within } from '../../time/within.ts'
import type { Context } from '../core/context.ts'
import { keepAlive, type Said } from './connections.ts'

const BATCH_MAX = 500
/** Some seconds' worth of ten thousand encoders: whoever comes then would only be one more connection that waits. */
const WAITING_MAX = 1_000
/** Media servers give up after ten seconds, and then cut the encoder off. */
const PATIENCE_MS = 4_000

type Waiting = Said & { resolve: (isKept: boolean) => void; reject: (cause: unknown) => void }

/**
 * Keeps encoders alive, of whom each says so every ten seconds: one statement is on its way at a time, for all who have said it
 * meanwhile.
 */
export class KeepAlives {
  readonly #ctx: Context
  #waiting: Waiting[] = []
  #isWriting = false
  #hasMissed = false

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Whether the encoder may go on. Rejects where the database cannot tell, or not in time. */
  async keep(said: Said): Promise<boolean> {
    try {
      return await within(PATIENCE_MS, this.#ask(said), () => {
        throw new Error(`The database did not say within ${PATIENCE_MS} ms whether an encoder may go on`)
      })
    } catch (error) {
      this.#hasMissed = true
      throw error
    }
  }

  /** Whether somebody could not be kept since this was asked the last time: none of these may be taken for silent. */
  takeMissed(): boolean {
    const hasMissed = this.#hasMissed
    this.#hasMissed = false
    return hasMissed
  }

  #ask(said: Said): Promise<boolean> {
    if (this.#waiting.length >= WAITING_MAX)
      return Promise.reject(new Error(`${WAITING_MAX} encoders wait for the database`))
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...said, resolve, reject })
      if (!this.#isWriting) void this.#write()
    })
  }

  async #write() {
    this.#isWriting = true
    while (this.#waiting.length > 0) await this.#writeSome(this.#waiting.splice(0, BATCH_MAX))
    this.#isWriting = false
  }

  async #writeSome(batch: readonly Waiting[]) {
    try {
      const kept = new Set((await keepAlive(this.#ctx, batch)).map(nameOf))
      for (const one of batch) one.resolve(kept.has(nameOf(one)))
    } catch (error) {
      for (const one of batch) one.reject(error)
    }
  }
}

const nameOf = ({ keyHash, connection }: Said) => `${keyHash} ${connection}`
