import { ofDatabase } from './db-error.ts'
import type { Pulse } from './gate.ts'

/** A statement is not sent because others like it hold their share of the connections, and keep yet others waiting. */
class BulkheadFull extends Error {
  override readonly name = 'BulkheadFull'
  readonly code = 'BULKHEAD_FULL'

  constructor() {
    super('Statements like this one hold their share of the connections for long: see what they wait for (pg_locks)')
    ofDatabase(this)
  }
}

type Asked = { strings: readonly string[]; args: readonly unknown[] }
type Connection = {
  /** The statement that runs. */
  current: Asked | null
  /** Those that were sent behind it. */
  sent: { some: (which: (asked: Asked) => boolean) => boolean }
  /** Has the server cancel the statement that runs. */
  interrupt: () => void
}
/** What the patch adds to the driver's client. */
export type BulkheadPool = {
  pulse: () => Pick<Pulse, 'isWaiting'>
  connections: readonly Connection[]
  queued: Connection['sent']
  /** Sends nothing more behind the statement that runs on a connection. */
  hold: (connection: Connection) => void
  /** Rejects statements that were not sent. */
  refuse: (which: (asked: Asked) => boolean, reason: Error) => void
}

/** A statement that runs, how often it was seen, and from which time on it is to be cancelled. */
type Seen = { asked: Asked; looks: number; cancelFrom: number }
type Running = { connection: Connection; seen: Seen }

type BulkheadOptions = {
  pool: BulkheadPool
  /** How many connections statements may hold that take long, when others wait. */
  share: number
  /** Asks the database on another connection, for the texts that wait for a locked table, as it keeps them: cut off. */
  probe: () => Promise<readonly string[]>
  /** Called with the texts of the statements that have their share, and with none when that has ended. */
  onChange?: ((texts: readonly string[]) => void) | undefined
}

const LOOK_MS = 20
/** How long after a statement the first look is, by when most have ended: fifty wake-ups a second would be a hundredth of a core, for nothing. */
const FIRST_LOOK_MS = 100
/** After so many looks nothing more is sent behind a statement. */
const ALONE_LOOKS = 2
/** After so many looks a statement holds its connection, if it waits for a locked table. */
const HELD_LOOKS = 15
/** After so many looks any statement does. A disk that stalls, or a row of a busy room, is waited for in line, for less. */
const LONG_LOOKS = 50
/** A statement that was to be cancelled, and may have begun only then, is cancelled again after so many looks. */
const AGAIN_LOOKS = 5
/** For so many looks none of them must have run for long before all are sent again. */
const FREE_LOOKS = 15

/**
 * Keeps statements of a few texts, as those of one locked table, from taking all connections of a pool. When more than their
 * share is held, for 0.3 s by a locked table or for a second by whatever else, others wait, and the database answers a probe,
 * so that it is not away as a whole, then these texts get their share and no more: the rest of them is refused or cancelled
 * (57014). Of a text with one first argument alone, as messages into a locked room, only those with that argument do, until others
 * of the text take long as well and keep yet others waiting. Looking at the connections costs a statement nothing while no text is barred, and where nothing is asked nobody looks.
 */
export class Bulkhead implements Disposable {
  readonly #options: BulkheadOptions
  #timer: NodeJS.Timeout | undefined
  readonly #seen = new Map<Connection, Seen>()
  readonly #barred = new Likes()
  readonly #full = new BulkheadFull()
  #entered = 0
  #freeLooks = 0
  #isProbing = false
  #isClosed = false

  constructor(options: BulkheadOptions) {
    this.#options = options
  }

  /** Why a statement is not sent, or what is to be called when it has ended; undefined where nothing is barred. */
  enter(text: string, first?: unknown): Error | (() => void) | undefined {
    if (this.#isClosed) return undefined
    this.#timer ??= this.#lookIn(FIRST_LOOK_MS)
    if (this.#barred.isEmpty || !this.#barred.has(text, first)) return undefined
    if (Math.max(this.#entered, this.#held(0).length) >= this.#options.share) return this.#full
    this.#entered++
    return () => {
      this.#entered--
    }
  }

  #lookIn(ms: number): NodeJS.Timeout {
    const look = () => {
      this.#look()
      const isOver = this.#seen.size === 0 && this.#barred.isEmpty && this.#isIdle()
      this.#timer = isOver ? undefined : this.#lookIn(LOOK_MS)
    }
    return setTimeout(look, ms).unref()
  }

  #look() {
    const { pool, share } = this.#options
    for (const connection of pool.connections) {
      const asked = connection.current
      const seen = this.#seen.get(connection)
      if (!asked) this.#seen.delete(connection)
      else if (seen?.asked !== asked) this.#seen.set(connection, { asked, looks: 0, cancelFrom: 0 })
      else if (++seen.looks === ALONE_LOOKS) pool.hold(connection)
    }
    if (!this.#barred.isEmpty) {
      this.#widen()
      return this.#keepToShare()
    }
    if (!this.#isProbing && this.#longest().length > share && this.#keepsOthersWaiting()) void this.#barIfAnswered()
  }

  async #barIfAnswered() {
    this.#isProbing = true
    const blocked = await this.#options.probe().catch(() => undefined)
    this.#isProbing = false
    if (this.#isClosed || !blocked || !this.#keepsOthersWaiting()) return
    for (const { seen } of this.#beyondShare(blocked)) this.#barred.add(seen.asked)
    if (this.#barred.isEmpty) return
    this.#options.onChange?.(this.#barred.texts)
    this.#keepToShare()
  }

  /**
   * A text that takes long with other first arguments too has one share for all of them: somebody may lock many rooms. One message that is
   * slow elsewhere is not that, as long as connections are left.
   */
  #widen() {
    const long = this.#longest(LONG_LOOKS).filter(({ seen }) => this.#barred.texts.includes(textOf(seen.asked)))
    if (long.length > this.#options.share && this.#keepsOthersWaiting())
      for (const { seen } of long) this.#barred.add(seen.asked)
  }

  /** Those that wait for a locked table, where they hold more than their share; otherwise those that take long, where they do. */
  #beyondShare(blocked: readonly string[]): Running[] {
    const isAtLock = ({ seen }: Running) => blocked.some((start) => textOf(seen.asked).startsWith(start))
    const atLocks = this.#longest().filter(isAtLock)
    const long = this.#longest(LONG_LOOKS)
    return [atLocks, long].find(({ length }) => length > this.#options.share) ?? []
  }

  /** Connections stay with the statements that have waited longest, unless others were sent behind them. */
  #keepToShare() {
    const { pool, share } = this.#options
    this.#freeLooks = this.#held(AGAIN_LOOKS).length === 0 ? this.#freeLooks + 1 : 0
    if (this.#freeLooks >= FREE_LOOKS) return this.#openAgain()
    const held = this.#held(0).sort((a, b) => b.seen.looks - a.seen.looks)
    const kept = held.filter(({ connection }) => !connection.sent.some(this.#isOther)).slice(0, share)
    for (const one of held) if (!kept.includes(one)) this.#interrupt(one)
    if (held.length >= share) pool.refuse((asked) => this.#barred.includes(asked), this.#full)
  }

  #interrupt({ connection, seen }: Running) {
    if (seen.looks < seen.cancelFrom) return
    seen.cancelFrom = seen.looks + AGAIN_LOOKS
    connection.interrupt()
  }

  #openAgain() {
    this.#freeLooks = 0
    this.#barred.clear()
    this.#options.onChange?.([])
  }

  /** Barred statements that were seen to run for at least so many looks. */
  #held = (looks: number) => this.#running(looks).filter(({ seen }) => this.#barred.includes(seen.asked))
  #longest = (looks = HELD_LOOKS) => this.#running(looks).filter(({ seen }) => !isEnd.test(textOf(seen.asked)))
  #isOther = (asked: Asked) => !this.#barred.includes(asked)

  #running(looks: number): Running[] {
    return [...this.#seen]
      .filter(([connection, seen]) => connection.current === seen.asked && seen.looks >= looks)
      .map(([connection, seen]) => ({ connection, seen }))
  }

  /** Whether statements wait of which none runs for long. */
  #keepsOthersWaiting() {
    const { pool } = this.#options
    const longest = new Likes(this.#longest().map(({ seen }) => seen.asked))
    const isOther = (asked: Asked) => !longest.includes(asked)
    return pool.queued.some(isOther) || pool.connections.some(({ sent }) => sent.some(isOther))
  }

  /** What is queued is sent without a word to whoever looks, once a lost connection is opened again. */
  #isIdle() {
    const { pool } = this.#options
    return !pool.pulse().isWaiting && !pool.queued.some(() => true)
  }

  [Symbol.dispose]() {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }
}

/** Statements that are alike: of each text those with one first argument, or all where there were several. */
class Likes {
  /** By text, with that argument. */
  readonly #firsts = new Map<string, unknown>()

  constructor(all: readonly Asked[] = []) {
    for (const asked of all) this.add(asked)
  }

  get isEmpty(): boolean {
    return this.#firsts.size === 0
  }

  get texts(): string[] {
    return [...this.#firsts.keys()]
  }

  add(asked: Asked) {
    const [text, first] = [textOf(asked), asked.args[0]]
    this.#firsts.set(text, this.#firsts.has(text) && this.#firsts.get(text) !== first ? ANY : first)
  }

  has(text: string, first: unknown): boolean {
    if (!this.#firsts.has(text)) return false
    const only = this.#firsts.get(text)
    return only === ANY || only === first
  }

  includes = (asked: Asked) => this.has(textOf(asked), asked.args[0])

  clear() {
    this.#firsts.clear()
  }
}

const ANY = Symbol('any first argument')
/** A transaction that ends lets go by itself, and cannot be ended sooner. */
const isEnd = /^(?:commit|rollback)/
const textOf = ({ strings: [text = ''] }: Asked) => text
