import type { Context } from '../../core/context.ts'
import { EVERY_CHANNEL, type PlacedEvent } from '../../core/live.ts'
import type { FeedContext } from '../streams/event-stream.ts'
import { lineFor, type NamedLine } from './channel-line.ts'
import { encodeFeedCursor } from './cursor.ts'
import { filterOf } from './filter.ts'
import { readPage } from './page.ts'
import { requireReadable } from './readable-types.ts'
import { type StartInput, startFor } from './start.ts'
import { waitForEvents } from './wait.ts'

export type FeedSelection = StartInput & { types?: string | undefined; channel?: string | undefined }
export type FeedRequest = FeedSelection & {
  limit: number
  /** How many seconds an empty page is held back. */
  wait: number
}
/** `next` is the cursor of what follows: a feed has no last page. */
export type FeedPage = { events: PlacedEvent[]; next: string }

/**
 * The next events of the caller's feed, within `limit`: those of a user's channel by `sequence`, those of an application's
 * channels each by its `sequence`. An empty page is held back for `wait` seconds, until something happens or `signal` aborts.
 * Throws what `requireReadable`, `lineFor` and `startFor` throw, and `rate_limited` for too many that wait.
 */
export async function readFeed(ctx: FeedContext, request: FeedRequest, signal: AbortSignal): Promise<FeedPage> {
  const types = requireReadable(ctx.principal, request.types)
  const named = await lineFor(ctx, ctx.principal, request.channel)
  const last = await lastOf(ctx, named)
  const start = await startFor(ctx, named.key, last, request)
  const filter = filterOf(types, start.notBefore)
  const read = await readPage(ctx, named.key, { start, upTo: last, filter, limit: request.limit })
  const isWaiting = read.events.length === 0 && request.wait > 0 && read.end.place >= last
  const { events, end } = isWaiting
    ? await waitForEvents(ctx, { named, start: { ...start, ...read.end }, filter, ...request }, signal)
    : read
  return { events, next: encodeFeedCursor(ctx, named.key, end) }
}

/** Of a channel the last event is known; of all channels the last one up to which nothing is missing. */
async function lastOf(ctx: Context, { key, last }: NamedLine): Promise<number> {
  if (key !== EVERY_CHANNEL) return last()
  const line = await ctx.tail.hold(key, last)
  line.release()
  return line.place
}
