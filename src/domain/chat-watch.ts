import * as z from 'zod'
import { statement } from '../db/statement.ts'
import { isUsername } from './channels.ts'
import type { PlacedEvent } from './core/live.ts'
import { Problem } from './core/problem.ts'
import { EventMessage } from './core/resources.ts'
import { lineOfChannel } from './events/feed/channel-line.ts'
import { filterOf } from './events/feed/filter.ts'
import { openStream } from './events/feed/follow-feed.ts'
import { type Start, startAt } from './events/feed/start.ts'
import type { EventStream, StreamContext } from './events/streams/event-stream.ts'

const RoomChange = z.object({ change: z.enum(['sent', 'deleted']), message: EventMessage })
export type RoomChange = z.output<typeof RoomChange>

export type ChatWatch = {
  room_name: string
  /** The `sequence` that a reconnecting caller saw last. Without it the watch begins with the next change. */
  after?: string | null | undefined
}

/** A caller who was away for longer has to read the list again. */
const RESUMED_MS = 600_000

const selectRoom = statement<[room: string], { id: string }>(
  'select id from users where username = $1 and disabled_at is null',
)

/**
 * The messages of a room as they are sent and deleted: the events of its channel, whose numbers follow the commits without a
 * gap, so no change is missed or comes twice. Throws `unknown_room`, `rate_limited`.
 */
export async function watchRoom(ctx: StreamContext, { room_name, after }: ChatWatch): Promise<EventStream> {
  const name = room_name.toLowerCase()
  const [room] = isUsername(name) ? await selectRoom(ctx.db, name) : []
  if (!room) throw new Problem('unknown_room', `room_name: there is no room "${name}".`)
  return openStream(ctx, lineOfChannel(ctx, room.id), async (last) => ({
    start: await startOfWatch(ctx, room.id, last, after),
    filter: ofRoom,
  }))
}

const ofRoom = filterOf(['chat.message.sent', 'chat.message.deleted'])

/** An event of `watchRoom` as whoever watches the room sees it. */
export function roomChangeOf({ type, payload }: PlacedEvent): RoomChange {
  const change = type === 'chat.message.sent' ? 'sent' : 'deleted'
  return { change, message: EventMessage.parse(JSON.parse(payload).data) }
}

async function startOfWatch(
  ctx: StreamContext,
  channelId: string,
  last: number,
  after: ChatWatch['after'],
): Promise<Start> {
  const now = ctx.now()
  if (!after || !/^\d{1,15}$/.test(after) || Number(after) >= last) return { place: last, at: now }
  const lately = await startAt(ctx, channelId, last, new Date(now.getTime() - RESUMED_MS))
  return { ...lately, place: Math.max(lately.place, Number(after)) }
}
