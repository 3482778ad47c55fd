import { statement } from '../db/statement.ts'
import { isUsername } from './channels.ts'
import { lowerBound } from './core/ids.ts'
import { Problem } from './core/problem.ts'
import { EventMessage } from './core/resources.ts'
import { type Marked, poll, type StreamContext } from './events/poll.ts'

export type RoomChange = { change: 'sent' | 'deleted'; message: EventMessage }

export type ChatWatch = {
  room_name: string
  /** The `sequence` that a reconnecting caller saw last. Without it the watch begins with the next change. */
  after?: string | null | undefined
}

/** A caller who was away for longer has to read the list again. */
const RESUMED_MS = 600_000

const selectRoom = statement<[room: string], { id: string; last: string }>(`
select u.id, coalesce(s.last, 0)::text as last from users u left join channel_sequences s on s.channel_id = u.id
where u.username = $1 and u.disabled_at is null`)

type Row = { sequence: string; type: string; payload: string }

const selectChanges = statement<[channelId: string, after: string, from: string], Row>(`
select e.sequence::text as sequence, e.type, e.payload from events e
where e.channel_id = $1 and e.sequence > $2::bigint and e.id > $3 and e.type in ('chat.message.sent', 'chat.message.deleted')
order by e.sequence limit 100`) // a bare "sequence" would be the selected text, which sorts 100 before 99

/**
 * Yields the messages of a room as they are sent and deleted, until the caller disconnects. Reads the events of the
 * channel, whose numbers follow the commits without a gap, so no change is missed or yielded twice. Throws
 * `unknown_room`.
 */
export async function watchRoom(
  ctx: StreamContext,
  { room_name, after }: ChatWatch,
  signal: AbortSignal | undefined,
): Promise<AsyncGenerator<Marked<RoomChange>>> {
  const name = room_name.toLowerCase()
  const [room] = isUsername(name) ? await selectRoom(ctx.db, name) : []
  if (!room) throw new Problem('unknown_room', `room_name: there is no room "${name}".`)
  const start = after && /^\d{1,18}$/.test(after) ? after : room.last
  return changesOf(ctx, room.id, start, signal)
}

async function* changesOf(ctx: StreamContext, channelId: string, start: string, signal: AbortSignal | undefined) {
  let last = start
  for await (const _ of poll(ctx, signal)) {
    const from = lowerBound('event', new Date(ctx.now().getTime() - RESUMED_MS))
    for (const { sequence, type, payload } of await selectChanges(ctx.db, channelId, last, from)) {
      last = sequence
      const change = type === 'chat.message.sent' ? ('sent' as const) : ('deleted' as const)
      yield { mark: sequence, item: { change, message: EventMessage.parse(JSON.parse(payload).data) } }
    }
  }
}
