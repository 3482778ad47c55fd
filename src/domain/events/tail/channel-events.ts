import type { Database } from '../../../db/client.ts'
import { statement } from '../../../db/statement.ts'
import type { PlacedEvent } from '../../core/live.ts'
import { ANY_TIME } from '../id-bounds.ts'
import type { Line } from './line.ts'

/** How many events of a channel one read returns at most. */
export const CHANNEL_READ_MAX = 100
const CHECKED_MAX = 1_000

export type ChannelEvent = PlacedEvent & { channel_id: string }

/**
 * The next events of several channels, each behind a number of its own and each in the order of the numbers, in one statement. A
 * channel's row stays locked until its event is committed, so whoever sees a number sees all before it. `from` is a bound of
 * identifiers that leaves out the partitions of earlier days. The numbers have an upper end instead of
 * a limit: they have no gaps, and the planner would not know that an index gives them in order.
 */
export const selectNext = statement<[channelIds: string[], after: string[], from: string], ChannelEvent>(`
select e.channel_id, e.id, e.type, e.payload, e.sequence::float8 as place
from unnest($1::text[], $2::text[]) wanted (channel_id, after)
cross join lateral (
  select x.channel_id, x.id, x.type, x.payload, x.sequence from events x
  where x.channel_id = wanted.channel_id and x.id > $3
    and x.sequence > wanted.after::bigint and x.sequence <= wanted.after::bigint + ${CHANNEL_READ_MAX}
  order by x.sequence
) e`)

type ChangedChannel = { channel_id: string; last: number }

/** Which of several channels have events behind a number of each, and the number of the last one. */
export const selectChanged = statement<[channelIds: string[], after: string[]], ChangedChannel>(`
select s.channel_id, s.last::float8 as last from unnest($1::text[], $2::text[]) held (channel_id, after)
join channel_sequences s on s.channel_id = held.channel_id where s.last > held.after::bigint`)

type Bounds = {
  /** Leaves out the partitions of earlier days. */
  from: string
  /** The places up to which some lines are known to have events. */
  known: ReadonlyMap<Line, number>
}

/**
 * The next events of some lines, by their channels. Those that are missing are looked for at any time: whoever wrote them had a
 * wrong clock, or this process has.
 */
export async function nextEvents(
  db: Database,
  lines: readonly Line[],
  { from, known }: Bounds,
): Promise<Map<string, ChannelEvent[]>> {
  const places = lines.map(({ place }) => place)
  const found = groupedByChannel(await selectNext(db, keysOf(lines), placesOf(lines), from))
  const torn = lines.filter((line, n) => {
    const events = found.get(line.key) ?? []
    const [begin = 0, upTo = 0] = [places[n], known.get(line)]
    const end = Math.max(events.at(-1)?.place ?? begin, Math.min(upTo, begin + CHANNEL_READ_MAX))
    return end - begin > events.length
  })
  if (torn.length === 0) return found
  const whole = groupedByChannel(await selectNext(db, keysOf(torn), placesOf(torn), ANY_TIME))
  return new Map([...found, ...whole])
}

/** The channels of those of some lines that have events which were not told. */
export async function channelsBehind(db: Database, lines: readonly Line[]): Promise<ChangedChannel[]> {
  const found: ChangedChannel[] = []
  for (let at = 0; at < lines.length; at += CHECKED_MAX) {
    const some = lines.slice(at, at + CHECKED_MAX)
    found.push(...(await selectChanged(db, keysOf(some), placesOf(some))))
  }
  return found
}

const keysOf = (lines: readonly Line[]) => lines.map(({ key }) => key)
const placesOf = (lines: readonly Line[]) => lines.map(({ place }) => String(place))

function groupedByChannel(rows: readonly ChannelEvent[]): Map<string, ChannelEvent[]> {
  const found = new Map<string, ChannelEvent[]>()
  for (const row of rows) {
    const group = found.get(row.channel_id)
    if (group) group.push(row)
    else found.set(row.channel_id, [row])
  }
  return found
}
