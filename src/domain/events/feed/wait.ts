import type { EventBatch, EventFilter, Follower, OpenStream, StreamEnd } from '../../core/live.ts'
import type { FeedContext } from '../streams/event-stream.ts'
import { countStream } from '../streams/stream-limit.ts'
import type { NamedLine } from './channel-line.ts'
import { cut, type ReadEvents, readPage } from './page.ts'
import type { Start } from './start.ts'

/** A page may be held back for 25 s; what is done before and after has the time of any other request. */
export const WAITING_DEADLINE_MS = 35_000

type Waiting = { named: NamedLine; start: Start; filter: EventFilter; limit: number; wait: number }

/**
 * The next wanted events of a line, or none when `wait` seconds pass, `signal` aborts or the process stops. Throws
 * `rate_limited` when too many wait, `unavailable` where there is no place for one more, and the problem of a credential that has ended meanwhile.
 */
export async function waitForEvents(ctx: FeedContext, waiting: Waiting, signal: AbortSignal): Promise<ReadEvents> {
  const { named, filter, limit } = waiting
  const uncount = await countStream(ctx)
  try {
    ctx.caller.becomeStream?.()
    const line = await ctx.tail.hold(named.key, named.last)
    try {
      let { start } = waiting
      while (start.place < line.place) {
        const read = await readPage(ctx, named.key, { start, upTo: line.place, filter, limit })
        if (read.events.length > 0) return read
        start = { ...start, ...read.end }
      }
      return await new Promise<ReadEvents>((resolve, reject) => {
        const waiter = new Waiter(ctx, start.place, waiting, { resolve, reject })
        const timer = setTimeout(() => waiter.stop(), waiting.wait * 1000)
        const stop = () => waiter.stop()
        signal.addEventListener('abort', stop, { once: true })
        const unlist = ctx.streams.add(waiter)
        line.follow(waiter)
        waiter.onStopped = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', stop)
          unlist()
          line.leave(waiter)
        }
        if (signal.aborted) waiter.stop()
      })
    } finally {
      line.release()
    }
  } finally {
    uncount()
  }
}

type Settle = { resolve: (page: ReadEvents) => void; reject: (problem: unknown) => void }

/** Takes the first wanted events of a line. */
class Waiter implements Follower, OpenStream {
  readonly caller: FeedContext['caller']
  readonly scopes: OpenStream['scopes']
  readonly #filter: EventFilter
  readonly #limit: number
  readonly #settle: Settle
  readonly #now: () => Date
  #place: number
  #isSettled = false
  onStopped: () => void = () => {}

  constructor({ caller, principal, now }: FeedContext, place: number, { filter, limit }: Waiting, settle: Settle) {
    this.caller = caller
    this.scopes = principal.scopes
    this.#place = place
    this.#filter = filter
    this.#limit = limit
    this.#settle = settle
    this.#now = now
  }

  take(batch: EventBatch): void {
    const events = batch.select(this.#place, this.#filter)
    this.#place = Math.max(this.#place, batch.end)
    if (events.length > 0) this.#finish(() => this.#settle.resolve(cut(events, this.#limit, this.#end)))
  }

  fail(error: unknown): void {
    this.#finish(() => this.#settle.reject(error))
  }

  beat(): void {}

  end({ reason, problem }: StreamEnd): void {
    if (reason !== 'revoked') this.stop()
    else this.#finish(() => this.#settle.reject(problem))
  }

  /** Ends with what there is: nothing. */
  stop(): void {
    this.#finish(() => this.#settle.resolve({ events: [], end: this.#end }))
  }

  /** Who follows a line is where it ends. */
  get #end() {
    return { place: this.#place, at: this.#now() }
  }

  #finish(settle: () => void) {
    if (this.#isSettled) return
    this.#isSettled = true
    this.onStopped()
    settle()
  }
}
