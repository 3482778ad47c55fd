import { DAY_MS } from '../../../time/durations.ts'
import type { Context } from '../../core/context.ts'
import { createdAtOf, lowerBound } from '../../core/ids.ts'
import type { EventFilter, PlacedEvent } from '../../core/live.ts'
import type { FeedCursor } from './cursor.ts'
import { readHistory } from './history.ts'
import type { Start } from './start.ts'

/** How many reads look for wanted events among others, before a page is given although it is not full. */
const READS_MAX = 10

type PageParts = { start: Start; upTo: number; filter: EventFilter; limit: number }

/** `end`: up to where these are all that are wanted, in a line that may go on. */
export type ReadEvents = { events: PlacedEvent[]; end: FeedCursor }

/** Up to `limit` wanted events. They end now only where the line does: what follows an earlier place may be as old as that. */
export async function readPage(
  ctx: Context,
  key: string,
  { start, upTo, filter, limit }: PageParts,
): Promise<ReadEvents> {
  const from = lowerBound('event', new Date(Math.max(0, start.at.getTime() - DAY_MS)))
  const found: PlacedEvent[] = []
  let [after, reachedAt] = [start.place, start.at]
  for (let reads = 0; after < upTo && reads < READS_MAX; reads++) {
    const { events, end, at = reachedAt } = await readHistory(ctx, key, { after, upTo, from }, filter)
    found.push(...events)
    after = end
    reachedAt = at
    if (found.length >= limit) break
  }
  return cut(found, limit, { place: after, at: after >= upTo ? ctx.now() : reachedAt })
}

/** The first of some events, which end with the last of them if others follow. */
export function cut(events: readonly PlacedEvent[], limit: number, end: FeedCursor): ReadEvents {
  const first = events.slice(0, limit)
  const last = events.length > limit && first.at(-1)
  return { events: first, end: last ? { place: last.place, at: createdAtOf(last.id) } : end }
}
