import type { Context } from '../core/context.ts'
import { keepAlive, type Said } from './connections.ts'

const BATCH_MAX = 500

type Waiting = Said & { resolve: (isKept: boolean) => void; reject: (cause: unknown) => void }

/**
 * Keeps encoders alive, of whom each says so every ten seconds: one statement is on its way at a time, for all who have said it
 * meanwhile.
 */
export class KeepAlives {
  readonly #ctx: Context
  #waiting: Waiting[] = []
  #isWriting = false

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Whether the encoder may go on. Rejects where the database cannot tell. */
  keep(said: Said): Promise<boolean> {
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
