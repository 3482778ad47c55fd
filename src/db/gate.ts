import { isConnectionLost } from './db-error.ts'

/** A statement was not sent, or is no longer waited for, because the database is known to be away. */
class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway'
  readonly code = 'DATABASE_AWAY'
}

type Refuse = (reason: DatabaseAway) => void
type GateOptions = {
  /** How long a database that works may say nothing although it was asked: longer than any statement may take. */
  silentMs: number
  /** Asks the database on the gated pool itself; resolves when it answers. */
  probe: () => Promise<unknown>
}

const PROBE_EVERY_MS = 100
const WATCH_EVERY_MS = 500

/**
 * Knows whether the database of a pool is away: it refuses connections while none is open, or says nothing for too long. Then
 * one probe asks again and again, and every other statement is refused at once, so that callers do not wait one by one.
 */
export class Gate implements Disposable {
  readonly #options: GateOptions
  readonly #pending = new Set<Refuse>()
  readonly #watch: NodeJS.Timeout
  #heardMs = 0
  #isAway = false
  #isClosed = false

  constructor(options: GateOptions) {
    this.#options = options
    this.#watch = setInterval(() => this.#judgeSilence(), WATCH_EVERY_MS).unref()
  }

  get isAway() {
    return this.#isAway
  }

  /** Why a statement is not sent. */
  refusal(): DatabaseAway {
    return new DatabaseAway('The database is away: asked again all the time by a probe')
  }

  /** Takes part in a statement: `refuse` is called if the database turns out to be away. Returns what its end calls. */
  follow(refuse: Refuse): (outcome: unknown) => void {
    if (this.#pending.size === 0) this.#heardMs = performance.now()
    this.#pending.add(refuse)
    return (outcome) => {
      if (!isConnectionLost(outcome)) this.#heardMs = performance.now() // a connection that is given up is no answer
      this.#pending.delete(refuse)
    }
  }

  /** A connection was refused, and none is open. */
  readonly close = () => {
    if (this.#isAway || this.#isClosed) return
    this.#isAway = true
    const reason = this.refusal()
    for (const refuse of this.#pending) refuse(reason)
    this.#pending.clear()
    void this.#probe()
  }

  #judgeSilence() {
    if (this.#pending.size > 0 && performance.now() - this.#heardMs > this.#options.silentMs) this.close()
  }

  async #probe() {
    while (!this.#isClosed) {
      try {
        await this.#options.probe()
        break
      } catch {
        await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS).unref())
      }
    }
    this.#isAway = false
  }

  [Symbol.dispose]() {
    this.#isClosed = true
    clearInterval(this.#watch)
  }
}
