import { eq } from 'drizzle-orm'
import type { Count } from '../counters/counters.ts'
import { mendPartitions } from '../db/partitions.ts'
import { chatMessages, users } from '../db/schema/index.ts'
import { instantText, statement } from '../db/statement.ts'
import { MESSAGE_LENGTH_MAX } from '../shared/limits.ts'
import { isUsername } from './channels.ts'
import type { Context, UserContext } from './core/context.ts'
import { isId, newId } from './core/ids.ts'
import type { CommittedEvent } from './core/live.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from './core/paging.ts'
import { Problem } from './core/problem.ts'
import { countOrRefuse, rateLimits } from './core/rate-limits.ts'
import type { ListedMessage } from './core/resources.ts'
import { type InTransaction, isInTransaction } from './core/transaction.ts'
import { transactInTurn } from './core/turns/transact-in-turn.ts'
import { emitEvent } from './events/emit.ts'
import { emission, emittedColumns, payloadOf, payloadParts } from './events/emit-sql.ts'

export type NewMessage = { room_name: string; content: string }

/** Inserts the message, its number in the channel, its event and the deliveries to subscribers in one statement. */
const insertMessage = statement<
  [
    ...message: [room: string, id: string, senderId: string, senderName: string, content: string, at: string],
    ...event: [id: string, beforeChannel: string, beforeSequence: string, afterSequence: string],
  ],
  { room_exists: boolean; channel_id: string | null; sequence: number; has_receivers: boolean }
>(`
with room as (
  select id from users where username = $1 and disabled_at is null
), message as (
  insert into chat_messages (id, channel_id, user_id, user_name, content, created_at)
  select $2::text, room.id, $3::text, $4::text, $5::text, $6::timestamptz from room
  where not exists (select from bans where bans.channel_id = room.id and bans.user_id = $3::text)
  returning channel_id
), ${emission({
  cause: 'select channel_id from message',
  id: '$7',
  type: `'chat.message.sent'`,
  at: '$6',
  beforeChannel: '$8',
  beforeSequence: '$9',
  afterSequence: '$10',
})}
select exists (select from room) as room_exists, (select channel_id from event) as channel_id,
  ${emittedColumns}`)

/**
 * Sends a message to a room as the caller, and queues `chat.message.sent`. Throws `message_too_long`, `rate_limited`,
 * `unknown_room` and `sender_banned`. A room is found by its owner's username in any case. Whoever has opened a transaction for it has
 * called `countMessage` before.
 */
export async function sendMessage(ctx: UserContext, { room_name, content }: NewMessage) {
  if (!isInTransaction(ctx)) await countMessage(ctx, { room_name, content })
  const room = room_name.toLowerCase()
  const { userId, username } = ctx.principal
  const now = ctx.now()
  const at = now.toISOString()
  const message = { id: newId('message', now), room_name: room, content, type: 'text', created_at: at }
  const event = { id: newId('event', now), type: 'chat.message.sent', at, username: room }
  const data = Object.assign({}, message, { user_identity: userId, user_name: username }) // a spread takes 5 µs here
  const parts = payloadParts(Object.assign({ data }, event))
  const insert = () => insertMessage(ctx.db, room, message.id, userId, username, content, at, event.id, ...parts)
  const [written] = isUsername(room) ? await withPartition(ctx, insert) : []
  if (!written?.room_exists) throw new Problem('unknown_room', `room_name: there is no room "${room}".`)
  const { channel_id: channelId, sequence, has_receivers: hasReceivers } = written
  if (channelId === null) throw new Problem('sender_banned', `room_name: you are banned from the room "${room}".`)
  ctx.traces?.published(event.id, event.type)
  const payload = payloadOf(parts, channelId, sequence)
  wakeAfterCommit(ctx, channelId, { id: event.id, type: event.type, payload, sequence, hasReceivers })
  return message
}

function checkContent(content: string) {
  // a code point takes one or two units of a string
  if (content.length > MESSAGE_LENGTH_MAX && [...content].length > MESSAGE_LENGTH_MAX) {
    throw new Problem('message_too_long', `content: has more than ${MESSAGE_LENGTH_MAX} characters.`)
  }
  // half of a surrogate pair has no form in UTF-8, so it could not be stored as it was sent
  if (!content.isWellFormed()) throw new Problem('invalid_request', 'content: must be well-formed Unicode.')
}

/**
 * Counts a message that is about to be sent; returns what gives it back, where it is not sent at all. Throws `message_too_long`,
 * `rate_limited`. The room has its owner's username, so no query is needed to know whether it is the caller's own.
 */
export async function countMessage(ctx: UserContext, { room_name, content }: NewMessage): Promise<() => Promise<void>> {
  checkContent(content)
  const { userId, username } = ctx.principal
  const room = room_name.toLowerCase()
  const limit = room === username ? rateLimits.chatOwner : rateLimits.chat
  const words = ({ resetS }: Count) =>
    `More than ${limit.points} messages in ${limit.windowS} s into one room: try again in ${resetS} s.`
  const key = `${userId} ${room}`
  await countOrRefuse(ctx, limit, key, words)
  return () => ctx.counters.giveBack(limit, key)
}

/** Creates the partitions when there is none for the row. Inside a transaction, `transact` does that. */
async function withPartition<Rows>(ctx: UserContext | InTransaction<UserContext>, insert: () => Promise<Rows>) {
  try {
    return await insert()
  } catch (error) {
    if (isInTransaction(ctx) || !(await mendPartitions(ctx.db, error))) throw error
    return await insert()
  }
}

/** The caller may have opened a transaction, as it does for an `Idempotency-Key`. */
function wakeAfterCommit(ctx: UserContext | InTransaction<UserContext>, channelId: string, event: CommittedEvent) {
  if (isInTransaction(ctx)) ctx.afterCommit(() => ctx.wake(channelId, event))
  else ctx.wake(channelId, event)
}

const LATER_THAN_ALL = 'msg~' // sorts behind every identifier of a message

/**
 * The inner limit is constant, so that the plan does not depend on the caller's limit. The room is compared as a range:
 * for an equal channel the planner would expect a few messages, as most rooms have, and sort all messages of a busy
 * one.
 */
const selectMessages = statement<[room: string, before: string, limit: number], ListedMessage>(`
select id, content, type, ${instantText('created_at')} as created_at, user_id as user_identity, user_name from (
  with room as (select id from users where username = $1 and disabled_at is null)
  select * from chat_messages
  where (channel_id, id) < ((select id from room), $2) and channel_id >= (select id from room) and id < $2
  order by channel_id desc, id desc limit 101
) newest order by channel_id desc, id desc limit $3::int`)

/** The newest messages of a room, oldest first within the page; `next` leads to older ones. An unknown room is empty. */
export async function listMessages(
  ctx: Context,
  { room_name, limit, cursor }: PageRequest & { room_name: string },
): Promise<Page<ListedMessage>> {
  const room = room_name.toLowerCase()
  const [before = LATER_THAN_ALL] = decodeCursor(ctx, `chat ${room}`, cursor) ?? []
  const rows = isUsername(room) ? await selectMessages(ctx.db, room, before, limit + 1) : []
  const { items, next } = toPage(ctx, `chat ${room}`, rows, limit, ({ id }) => [id])
  return { items: items.toReversed(), next }
}

/** Deletes a message, for its author or the owner of the room. Throws `message_not_found`, `forbidden`. */
export async function deleteMessage(ctx: UserContext, id: string): Promise<void> {
  const found = isId('message', id) ? await findMessage(ctx, id) : undefined
  if (!found) throw messageNotFound()
  const { message, channel } = found
  const { userId } = ctx.principal
  if (userId !== message.user_identity && userId !== channel.id) {
    throw new Problem('forbidden', 'Only its author and the owner of the room may delete a message.')
  }
  await transactInTurn(ctx, async (tx) => {
    const deleted = await tx.db.delete(chatMessages).where(eq(chatMessages.id, id)).returning({ id: chatMessages.id })
    if (deleted.length === 0) throw messageNotFound()
    await emitEvent(tx, 'chat.message.deleted', { channel, data: message })
  })
}

async function findMessage({ db }: Context, id: string) {
  const [row] = await db
    .select({ message: chatMessages, channel: { id: users.id, username: users.username } })
    .from(chatMessages)
    .innerJoin(users, eq(users.id, chatMessages.channelId))
    .where(eq(chatMessages.id, id))
  if (!row) return undefined
  const { content, type, createdAt, userId, userName } = row.message
  const message = { id, room_name: row.channel.username, content, type, created_at: createdAt.toISOString() }
  return { channel: row.channel, message: { ...message, user_identity: userId, user_name: userName } }
}

const messageNotFound = () => new Problem('message_not_found', 'There is no message with this identifier.')
