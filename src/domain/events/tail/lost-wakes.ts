import type { Database } from '../../../db/client.ts'
import { lastPosition } from './positions.ts'
import { writersOf } from './writers.ts'

/** Tells by the number of the site's last event that something may have happened of which nothing was heard. */
export class LostWakes {
  readonly #db: Database
  #last: number | undefined
  /** Transactions that may have taken a number up to the last one, and not committed yet. */
  #open: ReadonlySet<string> = new Set()

  constructor(db: Database) {
    this.#db = db
  }

  /** Whether to look for events: a number was taken since the last call, or was before that by a transaction that was still open. */
  async areLikely(): Promise<boolean> {
    const last = await lastPosition(this.#db)
    const hasChanged = last !== this.#last
    const wasOpen = this.#open.size > 0
    if (hasChanged || wasOpen) {
      const writing = new Set((await writersOf(this.#db)).keys())
      this.#open = hasChanged ? writing : new Set([...this.#open].filter((one) => writing.has(one)))
    }
    this.#last = last
    return hasChanged || wasOpen
  }
}
