import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { createdAtOf } from '../../core/ids.ts'
import { EVERY_CHANNEL, type EventFilter, type PlacedEvent } from '../../core/live.ts'

/** How many events one read looks at, whether they are wanted or not. */
const READ_MAX = 500

/** `from` is a bound of identifiers that leaves out the partitions of earlier days. `most`: how many events are looked at, where less will do. */
export type Span = { after: number; upTo: number; from: string; most?: number | undefined }

type Row = { id: string; type: string; payload: string | null; place: number }
type Values = [after: number, end: number, from: string, types: readonly string[]]
type OfChannel = [...Values, channelId: string]
/** Behind `from`, or before it. */
type Side = '>' | '<='

/** Places have few gaps, if any: an upper end instead of a limit leaves the planner no choice but the index. */
const ofChannel = (side: Side) => `
select e.id, e.type, case when e.type = any($4::text[]) then e.payload end as payload, e.sequence::float8 as place
from events e where e.channel_id = $5 and e.sequence > $1::bigint and e.sequence <= $2::bigint and e.id ${side} $3
order by e.sequence`

/** Sequence 0 is a test, which was for one subscription alone. */
const ofAll = (side: Side) => `
select e.id, e.type, case when e.type = any($4::text[]) and e.sequence > 0 then e.payload end as payload,
  e.position::float8 as place
from events e where e.position > $1::bigint and e.position <= $2::bigint and e.id ${side} $3
order by e.position`

const channelReads = {
  '>': statement<OfChannel, Row>(ofChannel('>')),
  '<=': statement<OfChannel, Row>(ofChannel('<=')),
}
const allReads = { '>': statement<Values, Row>(ofAll('>')), '<=': statement<Values, Row>(ofAll('<=')) }

/** The next wanted events of a line, the place up to which they are all, and of when the last event there is, if there is any. */
export async function readHistory(
  { db }: Pick<Context, 'db'>,
  key: string,
  { after, upTo, from, most = READ_MAX }: Span,
  filter: EventFilter,
): Promise<{ events: PlacedEvent[]; end: number; at: Date | undefined }> {
  const end = Math.min(upTo, after + most)
  const values: Values = [after, end, from, filter.types]
  const read = (side: Side) =>
    key === EVERY_CHANNEL ? allReads[side](db, ...values) : channelReads[side](db, ...values, key)
  const rows = [...(await read('>'))]
  // whoever wrote what is missing had a wrong clock, or whoever made the cursor; of all channels it may never have come
  if (rows.length < end - after) rows.push(...(await read('<=')))
  rows.sort((one, other) => one.place - other.place)
  const last = rows.at(-1)
  const events = rows.filter(isWhole).filter((event) => filter.wants(event))
  return { events, end, at: last && createdAtOf(last.id) }
}

const isWhole = (row: Row): row is PlacedEvent => row.payload !== null
