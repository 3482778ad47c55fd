import { randomInt } from 'node:crypto'
import type { Caller } from '../../core/caller.ts'
import type { CallerContext, Context, ReaderContext } from '../../core/context.ts'
import { isOutage } from '../../core/database-problem.ts'
import type {
  EventBatch,
  EventFilter,
  EventLine,
  Follower,
  OpenStream,
  PlacedEvent,
  StreamEnd,
} from '../../core/live.ts'
import { Problem } from '../../core/problem.ts'
import type { Scope } from '../../core/scopes.ts'
import type { FeedCursor } from '../feed/cursor.ts'
import { readHistory } from '../feed/history.ts'
import { readOnInTurn } from '../feed/history-turns.ts'
import type { Start } from '../feed/start.ts'
import { dayBefore } from '../id-bounds.ts'
import { holderOf } from './stream-limit.ts'
import { hasMuchUnsent, tooSlow } from './unsent-limit.ts'

/** A call that stays open. */
export type StreamContext = CallerContext & { caller: Caller }
/** The same of whoever reads the feed. */
export type FeedContext = ReaderContext & { caller: Caller }

/** Where a stream writes to. None of these throw. */
export type EventSink = {
  /** What its reader has not taken yet. */
  readonly unsentBytes: number
  /** Sinks with the same value are written the same bytes of the same events, which are in memory once for all of them. */
  readonly form: string
  /** `start`: behind which the stream begins. */
  begin(start: FeedCursor): void
  write(events: readonly PlacedEvent[]): void
  /** All events up to a place are written that are wanted. */
  progress(reached: FeedCursor): void
  /** A sign of life. */
  beat(): void
  end(end: StreamEnd): void
  /** Resolves once all is sent, or never will be. */
  drained(): Promise<void>
}

/** A reader who takes more time than this needs is ended instead of buffered for, and resumes. */
const UNSENT_BYTES_MAX = 1_048_576
/** Of history no more is read than a slow reader takes. */
const UNSENT_BYTES_OF_HISTORY = 65_536
/** How many events of history are read at first, and twice as many each time for as long as the reader takes them. */
const READ = { least: 50, most: 500 }
const PROGRESS_MS = 59_000
const LIFE_MS = { least: 55 * 60_000, most: 65 * 60_000 }

type StreamNeeds = Pick<Context, 'db' | 'log' | 'now' | 'streams'>

export type StreamParts = {
  key: string
  line: EventLine
  start: Start
  filter: EventFilter
  /** Undefined for the operator. */
  reader: Pick<FeedContext, 'caller' | 'principal'> | undefined
  /** Called once, at the end. */
  uncount: () => void
}

/**
 * The wanted events of a line from a place on, each once and in order: first those that are stored already, then as they are
 * told. Between the two nothing is missed, because both are read by places.
 */
export class EventStream implements Follower, OpenStream {
  readonly caller: Caller | undefined
  readonly scopes: readonly Scope[]
  readonly key: string
  readonly #ctx: StreamNeeds
  readonly #line: EventLine
  readonly #filter: EventFilter
  readonly #holder: string
  readonly #uncount: () => void
  readonly #from: string
  readonly #endsAt = performance.now() + randomInt(LIFE_MS.least, LIFE_MS.most)
  #sink: EventSink | undefined
  #unlist: () => void = () => {}
  #place: number
  /** Of when the last stored event is that was looked at; undefined once the stream is where the line ends. */
  #at: Date | undefined
  #writtenPlace: number
  #writtenAt = performance.now()
  #hasEnded = false

  constructor(ctx: Context, { key, line, start, filter, reader, uncount }: StreamParts) {
    const { db, log, now, streams } = ctx
    this.#ctx = { db, log, now, streams } // that of a call holds all that is known of it, for hours
    this.caller = reader?.caller
    this.scopes = reader?.principal.scopes ?? []
    this.key = key
    this.#line = line
    this.#filter = filter
    this.#holder = reader ? holderOf(reader.principal) : 'operator'
    this.#uncount = uncount
    this.#place = start.place
    this.#at = start.at
    this.#writtenPlace = start.place
    this.#from = dayBefore(start.at)
  }

  /** Writes until it ends: by itself, or by `leave` when the reader is gone. */
  open(sink: EventSink): void {
    if (this.#hasEnded) return
    this.#sink = sink
    sink.begin(this.reached)
    this.#unlist = this.#ctx.streams.add(this)
    this.#catchUp(sink).catch((error) => this.fail(error))
  }

  fail(error: unknown): void {
    if (!isOutage(error)) this.#ctx.log.warn({ err: error }, 'A stream could not read on')
    this.end({ reason: 'recycled', problem: new Problem('unavailable', 'The events could not be read: ask again.') })
  }

  async #catchUp(sink: EventSink) {
    let count = READ.least
    let readOn = (most: number) => this.#readSome(most)
    while (!this.#hasEnded && this.#place < this.#line.place) {
      await readOn(count)
      const isTaken = sink.unsentBytes <= UNSENT_BYTES_OF_HISTORY
      if (!isTaken) await sink.drained()
      count = isTaken ? Math.min(2 * count, READ.most) : READ.least
      readOn = (most) => readOnInTurn({ db: this.#ctx.db }, this.#holder, () => this.#readSome(most))
    }
    if (this.#hasEnded) return
    this.#at = undefined
    this.#line.follow(this)
  }

  async #readSome(most: number) {
    if (this.#hasEnded) return
    const span = { after: this.#place, upTo: this.#line.place, from: this.#from, most }
    const { events, end, at = this.#at } = await readHistory(this.#ctx, this.key, span, this.#filter)
    if (this.#hasEnded) return
    this.#at = at
    this.#write(events, end)
  }

  take(batch: EventBatch): void {
    this.#write(batch.select(this.#place, this.#filter), Math.max(batch.end, this.#place))
    if (this.unsentBytes > UNSENT_BYTES_MAX) this.end(tooSlow())
  }

  #write(events: readonly PlacedEvent[], end: number) {
    this.#place = end
    const last = events.at(-1)
    if (!last) return
    this.#sink?.write(events)
    if (!this.#hasEnded && hasMuchUnsent(this)) this.#ctx.streams.noteUnsent(this)
    this.#writtenPlace = last.place
    this.#writtenAt = performance.now()
  }

  get unsentBytes(): number {
    return this.#sink?.unsentBytes ?? 0
  }

  get sharedBy(): string | undefined {
    return this.#at === undefined && this.#sink ? `${this.#sink.form} ${this.key} ${this.#filter.key}` : undefined
  }

  get reached(): FeedCursor {
    return { place: this.#place, at: this.#at ?? this.#ctx.now() }
  }

  beat(): void {
    const now = performance.now()
    if (now >= this.#endsAt) {
      this.end({ reason: 'recycled', problem: new Problem('unavailable', 'The stream was open for long: resume.') })
    } else if (this.#place > this.#writtenPlace && now - this.#writtenAt >= PROGRESS_MS) {
      this.#sink?.progress(this.reached)
      this.#writtenPlace = this.#place
      this.#writtenAt = now
    } else this.#sink?.beat()
  }

  end(end: StreamEnd): void {
    if (this.#hasEnded) return
    this.leave()
    const sink = this.#sink
    sink?.end(end)
    if (!sink || end.isAtOnce || !hasMuchUnsent(sink)) return
    const ended = new EndedStream(sink, this.sharedBy)
    const unlist = this.#ctx.streams.add(ended)
    this.#ctx.streams.noteUnsent(ended)
    void sink.drained().then(unlist)
  }

  /** The reader is gone. May be called at any time, also before `open` and again. */
  leave(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#line.leave(this)
    this.#line.release()
    this.#unlist()
    this.#uncount()
  }
}

/** What is still kept for the reader of a stream that has ended, who has some time to take it. */
class EndedStream implements OpenStream {
  readonly caller = undefined
  readonly scopes: readonly Scope[] = []
  readonly sharedBy: string | undefined
  readonly #sink: EventSink

  constructor(sink: EventSink, sharedBy: string | undefined) {
    this.#sink = sink
    this.sharedBy = sharedBy
  }

  get unsentBytes(): number {
    return this.#sink.unsentBytes
  }

  beat(): void {}

  end(end: StreamEnd): void {
    if (end.isAtOnce) this.#sink.end(end)
  }
}
