import type { Database } from '../../../db/client.ts'
import { statement } from '../../../db/statement.ts'
import type { PlacedEvent } from '../../core/live.ts'
import { Problem } from '../../core/problem.ts'
import { untilWritten } from './writers.ts'

/** How many events of all channels one read returns at most. */
export const ALL_READ_MAX = 500
/** Less than a caller waits. */
const SETTLED_MS = 8_000

/** `sequence` is 0 for a test, which was for one subscription alone. */
export type PositionedEvent = PlacedEvent & { channel_id: string; sequence: number }

/** The events behind a position in the order of the positions. `from` leaves out the partitions of earlier days. */
export const selectPositions = statement<[after: number, from: string], PositionedEvent>(`
select id, channel_id, type, payload, position::float8 as place, sequence::float8 as sequence from events
where position > $1::bigint and id > $2 order by position limit ${ALL_READ_MAX}`)

/** The places alone, of whatever day. */
export const selectPlaces = statement<[after: number], { place: number }>(`
select position::float8 as place from events where position > $1::bigint order by position limit ${ALL_READ_MAX}`)

const selectLastPosition = statement<[], { last: number }>(
  'select case when is_called then last_value else 0 end::float8 as last from event_positions',
)

/** The position that was taken last, by whatever transaction. */
export async function lastPosition(db: Database): Promise<number> {
  const [row] = await selectLastPosition(db)
  return row?.last ?? 0
}

/**
 * The same, once no event up to there can appear any more. Throws `unavailable` when that takes longer than a caller waits.
 */
export async function settledPosition(db: Database): Promise<number> {
  const last = await lastPosition(db)
  const isSettled = await untilWritten(db, (_pids, waitedMs) => waitedMs < SETTLED_MS)
  if (isSettled) return last
  throw new Problem('unavailable', 'The newest events are still being written: ask again.', { retryAfterS: 5 })
}
