import type { Caller } from '../../core/caller.ts'
import type { ReaderContext } from '../../core/context.ts'
import { createdAtOf } from '../../core/ids.ts'
import type { EventFilter, PlacedEvent } from '../../core/live.ts'
import { dayBefore } from '../id-bounds.ts'
import { holderOf } from '../streams/stream-limit.ts'
import type { FeedCursor } from './cursor.ts'
import { readHistory } from './history.ts'
import { readOnInTurn } from './history-turns.ts'
import type { Start } from './start.ts'

/** How many reads look for wanted events among others, before a page is given although it is not full. */
const READS_MAX = 10

/** For so long a request waits for its turn to look further; then it is given what was found. */
const TURN_MS = 1_000

type PageParts = { start: Start; upTo: number; filter: EventFilter; limit: number }

/** `end`: up to where these are all that are wanted, in a line that may go on. */
export type ReadEvents = { events: PlacedEvent[]; end: FeedCursor }

/** Up to `limit` wanted events. They end now only where the line does: what follows an earlier place may be as old as that. */
export async function readPage(
  ctx: ReaderContext & { caller?: Caller | undefined },
  key: string,
  { start, upTo, filter, limit }: PageParts,
): Promise<ReadEvents> {
  const from = dayBefore(start.at)
  const found: PlacedEvent[] = []
  let [after, reachedAt] = [start.place, start.at]
  const readSome = async (most?: number) => {
    const { events, end, at = reachedAt } = await readHistory(ctx, key, { after, upTo, from, most }, filter)
    found.push(...events)
    after = end
    reachedAt = at
  }
  if (after < upTo) await readSome(limit)
  for (let reads = 1; after < upTo && found.length < limit && reads < READS_MAX; reads++) {
    const isRead = await readOnInTurn(ctx, holderOf(ctx.principal), () => readSome().then(() => true), TURN_MS)
    if (!isRead) break // a page need not be full
  }
  return cut(found, limit, { place: after, at: after >= upTo ? ctx.now() : reachedAt })
}

/** The first of some events, which end with the last of them if others follow. */
export function cut(events: readonly PlacedEvent[], limit: number, end: FeedCursor): ReadEvents {
  const first = events.slice(0, limit)
  const last = events.length > limit && first.at(-1)
  return { events: first, end: last ? { place: last.place, at: createdAtOf(last.id) } : end }
}
