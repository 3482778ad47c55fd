import { setTimeout as after } from 'node:timers/promises'
import type { LoggedEvent } from '../domain/core/live.ts'
import type { SubscribableType } from '../domain/events/types.ts'
import { DAY_MS } from '../time/durations.ts'
import { Refusal } from './io.ts'

/** An event with the cursor of what comes behind it. */
export type FeedEvent = LoggedEvent & { cursor: string }
/** The next events of a connection, none when it has just been made; and the cursor of what comes behind them. */
export type FeedStep = { events: readonly FeedEvent[]; cursor?: string | undefined }

export type ListenSelection = {
  /** All that may be read when left out. */
  types?: SubscribableType[] | undefined
  /** A username or the identifier of a channel. */
  channel?: string | undefined
}
/** Where a connection begins: behind a cursor, at a time, or now. */
export type FeedPlace = { after?: string | undefined; since?: string | undefined }

/** What a person is told while events come. */
export type FeedNotices = {
  /** Called when the connection is lost (true) and when it is restored (false). */
  onInterruption: (isInterrupted: boolean) => void
  /** Called with why what happened meanwhile cannot be had any more. What is kept follows. */
  onMissed: (why: string) => void
}

/** The end of a connection behind which another one goes on. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected'
  /** Whether that is as it should be, and nobody is told. */
  readonly isRenewal: boolean
  readonly retryAfterMs: number
  /** What a command says that cannot even begin. */
  readonly problem: { code: string; message: string }

  constructor(
    problem: { code: string; message: string },
    { isRenewal = false, retryAfterMs = 0 }: { isRenewal?: boolean; retryAfterMs?: number } = {},
  ) {
    super(problem.message)
    this.problem = problem
    this.isRenewal = isRenewal
    this.retryAfterMs = retryAfterMs
  }
}

/** One connection, from its first step on. Ends by `Disconnected`, when `signal` aborts, or by what nothing can go on behind. */
export type Connect = (place: FeedPlace, signal: AbortSignal) => AsyncIterable<FeedStep>

const PAUSE_MS = { least: 250, most: 5_000 }
const RENEWAL_PAUSE_MS = 100
const KEPT_MS = 30 * DAY_MS

/**
 * The events of a feed, each once and in order, over any number of connections, until `signal` aborts. Throws when the first
 * connection fails, and later when the service refuses to go on: then its credential has ended.
 */
export async function* resumedFeed(
  connect: Connect,
  begin: FeedPlace,
  { signal, ...notices }: FeedNotices & { signal: AbortSignal },
): AsyncGenerator<readonly FeedEvent[]> {
  const course = new Course(begin, notices)
  while (!signal.aborted) {
    try {
      for await (const { events, cursor } of connect(course.place, signal)) {
        course.hears()
        yield events
        course.reaches(cursor)
      }
      return
    } catch (error) {
      if (signal.aborted) return
      await after(course.pauseBehind(error), undefined, { signal }).catch(() => {})
    }
  }
}

/** How far a reader has come, and how its connections fare. */
class Course {
  place: FeedPlace
  readonly #notices: FeedNotices
  #hasBegun = false
  #isInterrupted = false
  #failures = 0

  constructor(begin: FeedPlace, notices: FeedNotices) {
    this.place = begin
    this.#notices = notices
  }

  hears(): void {
    this.#hasBegun = true
    this.#failures = 0
    this.#setInterrupted(false)
  }

  reaches(cursor: string | undefined): void {
    if (cursor !== undefined) this.place = { after: cursor }
  }

  /** How many milliseconds to wait before the next connection. Throws when there is to be none. */
  pauseBehind(error: unknown): number {
    if (error instanceof Disconnected) return this.#pauseBehindEnd(error)
    const isTooOld = error instanceof Refusal && error.problem.code === 'cursor_expired'
    if (!isTooOld || !this.#hasBegun) throw error
    this.#notices.onMissed(error.message)
    this.place = { since: new Date(Date.now() - KEPT_MS).toISOString() }
    return 0
  }

  #pauseBehindEnd({ problem, isRenewal, retryAfterMs }: Disconnected): number {
    if (!this.#hasBegun) throw new Refusal(problem)
    if (isRenewal) return RENEWAL_PAUSE_MS
    this.#setInterrupted(true)
    return Math.max(retryAfterMs, Math.min(PAUSE_MS.most, PAUSE_MS.least * 2 ** this.#failures++))
  }

  #setInterrupted(isInterrupted: boolean) {
    if (isInterrupted !== this.#isInterrupted) this.#notices.onInterruption(isInterrupted)
    this.#isInterrupted = isInterrupted
  }
}
