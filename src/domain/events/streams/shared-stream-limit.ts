import { randomUUID } from 'node:crypto'
import { EdgeLogger } from '../../../telemetry/edge-logger.ts'
import { within } from '../../../time/within.ts'
import type { Context } from '../../core/context.ts'
import type { StreamLimit } from '../../core/live.ts'
import { Problem } from '../../core/problem.ts'
import { type StreamClaim, settleClaims, withdrawClaims } from './stream-claims.ts'

/** Open at once: of a user, and of all applications of one owner together. */
const STREAMS_MAX = 20
/** How often a process says that it lives, and tries again after a failure. */
const SIGN_MS = 2_000
/** After so long without a sign others may have taken the process for dead, and left out what it had. */
const UNHEARD_MS = 4_000
/** For so long a stream waits to be counted; then this process counts alone. */
const ANSWER_MS = 1_000
const CLAIMED_MAX = 1_000

/** Called with whether the stream is admitted. */
type Asker = (isAdmitted: boolean) => void
/** `asked`: for how many of the askers, who wait in line, the statement asks that is on its way. */
type Held = { open: number; askers: Asker[]; asked: number }

/**
 * Counts the streams of each holder over all processes, in the database. One statement is on its way at a time, for all who ask
 * meanwhile, and says how many are open instead of how many more: so none that is lost or repeated does harm. While the
 * database does not answer, this process counts alone.
 */
export class SharedStreamLimit implements StreamLimit, AsyncDisposable {
  readonly #db: Context['db']
  readonly #edge: EdgeLogger
  readonly #process = randomUUID()
  readonly #held = new Map<string, Held>()
  /** Holders of whom the database does not know what is open, or asked for. */
  readonly #changed = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #settling: Promise<void> | undefined
  #isSettling = false
  #isAlone = false
  #heardAt = 0

  constructor({ db, log }: Pick<Context, 'db' | 'log'>) {
    this.#db = db
    this.#edge = new EdgeLogger(log, {
      down: 'Streams are not counted over processes: this one counts alone',
      up: 'Streams are counted over processes again',
    })
  }

  async take(holder: string): Promise<() => void> {
    const held = this.#held.get(holder) ?? { open: 0, askers: [], asked: 0 }
    if (held.open + held.askers.length >= STREAMS_MAX) throw tooMany()
    this.#held.set(holder, held)
    if (!(await this.#admits(holder, held))) throw tooMany()
    return () => this.#release(holder, held)
  }

  async #admits(holder: string, held: Held): Promise<boolean> {
    if (this.#isAlone) {
      held.open++
      this.#changed.add(holder)
      return true
    }
    const isAdmitted = new Promise<boolean>((resolve) => held.askers.push(resolve))
    this.#change(holder)
    return isAdmitted
  }

  #release(holder: string, held: Held) {
    held.open--
    this.#change(holder)
  }

  #change(holder: string) {
    this.#changed.add(holder)
    this.#timer ??= setInterval(() => this.#sign(), SIGN_MS).unref()
    if (!this.#isAlone) this.#settle()
  }

  #sign() {
    if (this.#held.size > 0 || this.#changed.size > 0) return this.#settle()
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #settle() {
    if (this.#isSettling) return
    this.#isSettling = true
    this.#settling = this.#settleAll()
  }

  async #settleAll() {
    await null // so that those who ask at once are counted together
    do await this.#settleSome([...this.#changed].slice(0, CLAIMED_MAX))
    while (this.#changed.size > 0 && !this.#isAlone)
    this.#isSettling = false
  }

  async #settleSome(holders: readonly string[]) {
    const claims = holders.map((holder) => this.#claimOf(holder))
    const begun = performance.now()
    const settling = settleClaims(this.#db, this.#process, claims, STREAMS_MAX)
    try {
      const { isNew, counts } = await within(ANSWER_MS, settling, late)
      for (const { holder, open } of claims) this.#decide(holder, (counts.get(holder) ?? open) - open)
      const isForgotten = isNew || begun - this.#heardAt > UNHEARD_MS
      if (isForgotten) this.#claimAgain(holders)
      this.#heardAt = begun
      this.#isAlone = false
      this.#edge.up()
    } catch (error) {
      this.#edge.down({ err: error })
      for (const holder of holders) this.#changed.add(holder)
      this.#countAlone()
      await settling.catch(() => {}) // what was sent first must not be written last
    }
  }

  /** Until a statement is answered again. */
  #countAlone() {
    this.#isAlone = true
    for (const [holder, held] of this.#held) {
      if (held.askers.length === 0) continue
      this.#changed.add(holder)
      held.asked = held.askers.length
      this.#decide(holder, STREAMS_MAX)
    }
  }

  #claimOf(holder: string): StreamClaim {
    this.#changed.delete(holder) // before it is sent: a change from now on counts again
    const held = this.#held.get(holder)
    if (!held) return { holder, open: 0, wanted: 0 }
    held.asked = held.askers.length
    return { holder, open: held.open, wanted: held.asked }
  }

  /** Admits as many as are given of those who were asked for. */
  #decide(holder: string, given: number) {
    const held = this.#held.get(holder)
    if (!held) return
    const askers = held.askers.splice(0, held.asked)
    held.asked = 0
    held.open += Math.min(given, askers.length)
    for (const [n, tell] of askers.entries()) tell(n < given)
    if (held.open === 0 && held.askers.length === 0) this.#held.delete(holder)
  }

  #claimAgain(known: readonly string[]) {
    const settled = new Set(known)
    for (const holder of this.#held.keys()) if (!settled.has(holder)) this.#changed.add(holder)
  }

  /** To be called once all streams have ended: what is open counts no longer. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#settling
    if (this.#heardAt > 0) await withdrawClaims(this.#db, this.#process).catch(() => {})
  }
}

function late(): never {
  throw new Error(`The database has not counted a stream within ${ANSWER_MS} ms`)
}

const tooMany = () =>
  new Problem('rate_limited', `More than ${STREAMS_MAX} streams at once: close one first.`, {
    retryAfterS: 5,
    exceeded: { name: 'streams', points: STREAMS_MAX },
  })

/** For `STREAM_LIMITS=off`. */
export const unlimitedStreams: StreamLimit = { take: async () => () => {} }
