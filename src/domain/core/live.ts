import type { Caller } from './caller.ts'
import type { Problem } from './problem.ts'
import type { Scope } from './scopes.ts'

/**
 * What verbs know of live events; the room `events` holds what is behind these types. A line is a series of events in which
 * each has a place: those of one channel by their `sequence`, or those of every channel by their position.
 */

/** The line of all channels. Any other line has the identifier of its channel. */
export const EVERY_CHANNEL = '*'

/** An event as it is stored. `payload` is the body of a delivery, to the byte. */
export type LoggedEvent = { id: string; type: string; payload: string }

/** An event of which this process has seen the commit, with its place among those of its channel. */
export type CommittedEvent = LoggedEvent & {
  sequence: number
  /** Whether it is to be delivered to anybody as a webhook. */
  hasReceivers: boolean
}

/** Called with the channels that have new events; without any when it is unknown which, or something else is to be done. */
export type WakeListener = (channelIds: readonly string[], event?: CommittedEvent) => void

/** An event in a line. */
export type PlacedEvent = LoggedEvent & { place: number }

/** Which events of a line somebody wants. Filters with the same key want the same. */
export type EventFilter = {
  readonly key: string
  readonly types: readonly string[]
  wants(event: PlacedEvent): boolean
}

/** Events that a line has gained at once, in their order. */
export type EventBatch = {
  /** The place of the last of them, wanted or not. */
  readonly end: number
  /** Those that are behind a place and wanted: for the same filter the same list, so that what is made of it can be kept. */
  select(after: number, filter: EventFilter): readonly PlacedEvent[]
}

/** Hears of the events of a line in their order, each once, while it follows. */
export type Follower = {
  take(batch: EventBatch): void
  /** Is told what `take` threw, and hears nothing more. Must not throw. */
  fail(error: unknown): void
}

/** A line that somebody holds, until `release`. */
export type EventLine = {
  /** Up to here all events are told, and none will come in between. */
  readonly place: number
  follow(follower: Follower): void
  leave(follower: Follower): void
  release(): void
}

/** Reads the events of the lines that somebody holds as they are committed: each once in a process, whoever follows. */
export type EventTail = {
  /** `last` gives the place from which the line is told, where nobody holds it already: that of an event at present. */
  hold(key: string, last: () => Promise<number>): Promise<EventLine>
}

/**
 * Why a stream is ended: it is open for long or its reader is too slow, so that the reader resumes at once; its credential has
 * ended; or the process stops.
 */
export type StreamEnd = {
  reason: 'recycled' | 'revoked' | 'shutdown'
  problem: Problem
  /** Without a word, and without what was not sent: for that there is no memory. */
  isAtOnce?: boolean
}

/** A stream, or a call that waits for events. */
export type OpenStream = {
  /** Whose credential is watched; undefined for the operator, who has none. */
  readonly caller: Caller | undefined
  /** What the credential must not lose. */
  readonly scopes: readonly Scope[]
  /** What is kept in memory for its reader, who has not taken it. */
  readonly unsentBytes?: number
  /** Streams with the same value are written the same bytes, which are in memory once for all of them; undefined where they are written for one alone. */
  readonly sharedBy?: string | undefined
  /** Called about every fifteen seconds. */
  beat(): void
  /** Something that its credential depends on has changed: what its caller may read is to be asked again. */
  doubt?(): void
  end(end: StreamEnd): void
}

/** The streams of this process: they are kept alive, and ended soon after their credential has ended or when the process stops. */
export type OpenStreams = {
  /** Returns a function that takes the stream out again. */
  add(stream: OpenStream): () => void
  /** To be called when a stream has much unsent: what all have is added up of such streams alone. */
  noteUnsent(stream: OpenStream): void
}

/** How many streams somebody may have open at once. */
export type StreamLimit = {
  /** Counts a stream of a holder until the returned function is called, once. Throws `rate_limited`. */
  take(holder: string): Promise<() => void>
}
