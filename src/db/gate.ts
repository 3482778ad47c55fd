import { ofDatabase } from './db-error.ts'

/** Why statements are refused, or no longer waited for: the database is known to be away. */
export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway'
  readonly code = 'DATABASE_AWAY'

  constructor(cause: unknown) {
    super('The database is away: see that it runs and can be reached; it is used again by itself once it answers', {
      cause,
    })
    ofDatabase(this)
  }
}

/** What the gate sees of a pool. */
export type Pulse = {
  /** Whether a connection is being opened or a statement was sent and not answered. */
  isWaiting: boolean
  /** Whether statements wait to be sent, as those do for which a lost connection is not opened yet. Nobody owes them an answer. */
  isQueued: boolean
  /** How often the server was heard. */
  heard: number
}

/**
 * How long the probes may hear nothing, in turn. Short ones are soon back on a new connection, where the old ones were
 * forgotten (a host that was restarted); the long one is for a server that is there and slow.
 */
const PROBE_PATIENCE_MS = [500, 500, 2_000] as const

type GateOptions = {
  /** How long a database that works may say nothing although it was asked: longer than any statement may take. */
  silentMs: number
  /** Looks at the pool; see `PatchedSql`. */
  pulse: () => Pulse
  /** Rejects all that waits in the pool and gives its connections up. */
  abandon: (reason: DatabaseAway) => void
  /** Asks the database on the pool itself; resolves when it answers. */
  probe: () => Promise<unknown>
  /** Called once for each time that the database is away: nothing that is refused for that is seen by whoever watches statements. */
  onAway?: ((reason: DatabaseAway) => void) | undefined
  /** How often the pool is looked at while an answer is waited for. */
  watchMs?: number
  /** How long after a probe that failed the next one asks; up to half as long again or as short, so that many processes do not ask together. */
  probeMs?: number
}

/**
 * Knows whether the database of a pool is away: it refuses connections while none is open, or says nothing for too long. Then
 * one probe asks again and again, and every other statement is refused at once, so that callers do not wait one by one.
 * While the database is there, a statement costs a look at `away`, and nothing is done where nothing is asked.
 */
export class Gate implements Disposable {
  readonly #options: GateOptions & { watchMs: number; probeMs: number }
  #watch: NodeJS.Timeout | undefined
  #away: DatabaseAway | undefined
  #heard = 0
  #silentLooks = 0
  /** How many probes in a row were given up because nothing was heard. */
  #givenUp = 0
  #isClosed = false

  constructor(options: GateOptions) {
    this.#options = { watchMs: 250, probeMs: 100, ...options }
  }

  /** To be called whenever something is asked on the pool, which is looked at from then on, until no answer is waited for. */
  expectAnswer(): void {
    if (this.#isClosed) return
    this.#watch ??= setInterval(() => this.#look(), this.#options.watchMs).unref()
  }

  /** Why no statement is sent; undefined while the database is there. */
  get away(): DatabaseAway | undefined {
    return this.#away
  }

  /** Refuses everything until a probe was answered. */
  close(cause: unknown) {
    if (this.#away || this.#isClosed) return
    this.#away = new DatabaseAway(cause)
    this.expectAnswer()
    this.#options.onAway?.(this.#away)
    this.#options.abandon(this.#away)
    void this.#ask()
  }

  /** Counts looks instead of time: a process that was blocked for long has looked once, and not read what came meanwhile. */
  #look() {
    const { isWaiting, isQueued, heard } = this.#options.pulse()
    if (!isWaiting && !isQueued && !this.#away) this.#rest()
    this.#silentLooks = isWaiting && heard === this.#heard ? this.#silentLooks + 1 : 0
    this.#heard = heard
    if (this.#silentLooks * this.#options.watchMs < this.#patienceMs()) return
    this.#silentLooks = 0
    if (this.#away) {
      this.#givenUp++
      return this.#options.abandon(this.#away) // the probe may wait on a connection that will never answer
    }
    this.close(new Error(`it has said nothing for ${this.#options.silentMs} ms`))
  }

  #rest() {
    clearInterval(this.#watch)
    this.#watch = undefined
  }

  #patienceMs(): number {
    const { silentMs } = this.#options
    if (!this.#away) return silentMs
    return Math.min(silentMs, PROBE_PATIENCE_MS[this.#givenUp % PROBE_PATIENCE_MS.length] ?? silentMs)
  }

  async #ask() {
    while (!this.#isClosed) {
      try {
        await this.#options.probe()
        break
      } catch {
        const pauseMs = this.#options.probeMs * (0.5 + Math.random())
        await new Promise((resolve) => setTimeout(resolve, pauseMs).unref())
      }
    }
    this.#away = undefined
    this.#givenUp = 0
  }

  [Symbol.dispose]() {
    this.#isClosed = true
    this.#rest()
  }
}
