import type { Database } from '../../../db/client.ts'
import { statement } from '../../../db/statement.ts'
import type { PlacedEvent } from '../../core/live.ts'
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

/** Which of several channels have events behind a number of each. */
export const selectChanged = statement<[channelIds: string[], after: string[]], { channel_id: string }>(`
select s.channel_id from unnest($1::text[], $2::text[]) held (channel_id, after)
join channel_sequences s on s.channel_id = held.channel_id where s.last > held.after::bigint`)

/** The next events of some lines, by their channels. `from` leaves out the partitions of earlier days. */
export async function nextEvents(
  db: Database,
  lines: readonly Line[],
  from: string,
): Promise<Map<string, ChannelEvent[]>> {
  return groupedByChannel(await selectNext(db, keysOf(lines), placesOf(lines), from))
}

/** The channels of those of some lines that have events which were not told. */
export async function channelsBehind(db: Database, lines: readonly Line[]): Promise<string[]> {
  const found: string[] = []
  for (let at = 0; at < lines.length; at += CHECKED_MAX) {
    const some = lines.slice(at, at + CHECKED_MAX)
    for (const { channel_id } of await selectChanged(db, keysOf(some), placesOf(some))) found.push(channel_id)
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
