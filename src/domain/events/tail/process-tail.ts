import { setTimeout as after } from 'node:timers/promises'
import { EdgeLogger } from '../../../telemetry/edge-logger.ts'
import type { Context } from '../../core/context.ts'
import { type CommittedEvent, EVERY_CHANNEL, type EventLine, type EventTail } from '../../core/live.ts'
import type { EventSource } from '../../core/relayed.ts'
import { Arrivals } from './arrivals.ts'
import { Arrived } from './arrived.ts'
import { channelsBehind } from './channel-events.ts'
import { Line } from './line.ts'
import { type Behind, LineReader } from './line-reader.ts'
import { LostWakes } from './lost-wakes.ts'
import { measureTold, tailMetrics } from './metrics.ts'

/** So that what is committed meanwhile is read together: a busy room costs a read for several messages. */
const PAUSE_MS = 15
const FAILED_PAUSE_MS_MAX = 1_000
/** How soon an event is found whose announcement was lost. */
const CHECK_MS = 1_000
/** Who asks again and again, instead of following, finds the line of all channels as it was left. */
const LINGER_MS = 60_000

type TailContext = Pick<Context, 'db' | 'now' | 'onWake' | 'log'>

/**
 * The one reader of a process. What this process has committed itself it tells without reading. A wake names the other channels that
 * have changed, and one statement reads what is new in those that somebody holds. Where a wake is lost, the number of the site's last event tells within a second that something is.
 */
export class ProcessTail implements EventTail, AsyncDisposable {
  readonly #ctx: TailContext
  readonly #edge: EdgeLogger
  readonly #reader: LineReader
  readonly #lostWakes: LostWakes
  readonly #lines = new Map<string, Line>()
  readonly #changed = new Set<Line>()
  /** What a look has found to be behind. */
  readonly #behind: Behind = new Map()
  #isCheckDue = false
  readonly #arrived = new Arrived((lines) => this.#readNow(lines))
  readonly #arrivals: Arrivals | undefined
  readonly #unfollow = new Map<Line, () => void>()
  #beginning: Promise<number> | undefined
  #isReading = false
  #isLooking = false
  #isDisposed = false
  #timer: NodeJS.Timeout | undefined

  constructor(ctx: TailContext, source?: EventSource) {
    this.#ctx = ctx
    this.#edge = new EdgeLogger(ctx.log, { down: 'Live events interrupted', up: 'Live events resumed' })
    this.#reader = new LineReader(ctx, () => this.#readAllAgain())
    this.#lostWakes = new LostWakes(ctx.db)
    ctx.onWake((channelIds, event) => this.#wake(channelIds, event))
    if (!source) return
    this.#arrivals = new Arrivals(source, this.#arrived, (lines) => this.#readNow(lines))
    source.onChange(() => this.#wake([])) // for what was missed before, or will not come
  }

  /** Reads nothing any more: its database will close. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    this.#reader.stop()
    clearInterval(this.#timer)
  }

  async hold(key: string, last: () => Promise<number>): Promise<EventLine> {
    const known = this.#lines.get(key)
    if (known) return known.hold()
    const place = await (key === EVERY_CHANNEL ? this.#beginningBy(last) : last())
    return (this.#lines.get(key) ?? this.#add(key, place)).hold() // another caller may have been faster
  }

  /** Callers who come while one waits for a beginning share it. */
  #beginningBy(last: () => Promise<number>): Promise<number> {
    this.#beginning ??= last().finally(() => {
      this.#beginning = undefined
    })
    return this.#beginning
  }

  #add(key: string, place: number): Line {
    const line = new Line(key, place, (released) => this.#drop(released), measureTold)
    if (this.#lines.size === 0) {
      this.#reader.beginNow()
      this.#timer = setInterval(() => void this.#look(), CHECK_MS).unref()
    }
    this.#lines.set(key, line)
    if (this.#arrivals) this.#unfollow.set(line, this.#arrivals.follow(line))
    this.#changed.add(line) // since its place was read
    this.#read()
    return line
  }

  #drop(line: Line) {
    if (line.key !== EVERY_CHANNEL) return this.#remove(line)
    setTimeout(() => line.isHeld || this.#remove(line), LINGER_MS).unref()
  }

  #remove(line: Line) {
    this.#changed.delete(line)
    this.#behind.delete(line)
    this.#unfollow.get(line)?.()
    this.#unfollow.delete(line)
    this.#arrived.forget(line)
    if (this.#lines.get(line.key) === line) this.#lines.delete(line.key)
    if (this.#lines.size === 0) clearInterval(this.#timer)
  }

  #wake(channelIds: readonly string[], event?: CommittedEvent) {
    if (this.#lines.size === 0) return
    if (channelIds.length === 0) this.#isCheckDue = true
    if (event) this.#take(channelIds, event)
    const toRead = event ? [EVERY_CHANNEL] : [EVERY_CHANNEL, ...channelIds]
    const lines = toRead.flatMap((key) => this.#lines.get(key) ?? [])
    if (this.#arrivals?.isLive) for (const line of lines) this.#arrivals.announce(line)
    else for (const line of lines) this.#changed.add(line)
    this.#read()
  }

  /** Of all channels the place is not known before a statement tells who else has taken one. */
  #take(channelIds: readonly string[], { id, type, payload, sequence }: CommittedEvent) {
    const lines = channelIds.flatMap((key) => this.#lines.get(key) ?? [])
    for (const line of lines) this.#arrived.add(line, { id, type, payload, place: sequence, previous: sequence - 1 })
  }

  #readNow(lines: readonly Line[]) {
    for (const line of lines) this.#fallBack(line.key)
    this.#read()
  }

  #readAllAgain() {
    this.#mark(EVERY_CHANNEL)
    this.#read()
  }

  #mark(key: string) {
    const line = this.#lines.get(key)
    if (line) this.#changed.add(line)
  }

  /** Once a second. */
  async #look() {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      if (!(await this.#lostWakes.areLikely())) return
      this.#isCheckDue = true
      this.#read()
    } catch (error) {
      this.#interrupted(error)
    } finally {
      this.#isLooking = false
    }
  }

  #read() {
    if (this.#isReading) return
    this.#isReading = true
    void this.#readChanged()
  }

  async #readChanged() {
    for (let failures = 0; this.#isBehind; ) {
      try {
        if (this.#isCheckDue) await this.#check()
        await this.#reader.readChannels(this.#changed, this.#behind)
        await this.#reader.readAll(this.#changed, this.#behind)
        this.#edge.up()
        failures = 0
      } catch (error) {
        this.#interrupted(error)
        failures++
      }
      await after(failures === 0 ? PAUSE_MS : Math.min(FAILED_PAUSE_MS_MAX, PAUSE_MS * 2 ** failures))
    }
    this.#isReading = false
  }

  get #isBehind(): boolean {
    return !this.#isDisposed && (this.#isCheckDue || this.#changed.size > 0)
  }

  #interrupted(error: unknown) {
    if (!this.#isDisposed) this.#edge.down({ err: error })
  }

  async #check() {
    this.#isCheckDue = false // before anything is read: a demand from now on counts again
    try {
      await this.#markChanged()
    } catch (error) {
      this.#isCheckDue = true
      throw error
    }
  }

  async #markChanged() {
    const lines = [...this.#lines.values()].filter(({ key }) => key !== EVERY_CHANNEL)
    for (const { channel_id: key, last } of await channelsBehind(this.#ctx.db, lines)) {
      this.#fallBack(key)
      this.#noteBehind(key, last)
    }
    this.#mark(EVERY_CHANNEL)
    this.#noteBehind(EVERY_CHANNEL, Number.POSITIVE_INFINITY)
  }

  #noteBehind(key: string, upTo: number) {
    const line = this.#lines.get(key)
    if (line) this.#behind.set(line, upTo)
  }

  /** For what nothing has told of. */
  #fallBack(key: string) {
    const line = this.#lines.get(key)
    if (!line || this.#changed.has(line)) return
    tailMetrics.fallbacks++
    this.#changed.add(line)
  }
}
