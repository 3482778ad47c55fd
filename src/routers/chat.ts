import * as z from 'zod'
import { countMessage, deleteMessage, listMessages, sendMessage } from '../domain/chat.ts'
import { type RoomChange, roomChangeOf, watchRoom } from '../domain/chat-watch.ts'
import { ListedMessage, SentMessage } from '../domain/core/resources.ts'
import { examples } from '../shared/examples.ts'
import { MESSAGE_LENGTH_MAX } from '../shared/limits.ts'
import { page, paging, pathParameter, text } from './fields.ts'
import { operation, procedure } from './operation.ts'
import { live, type StreamShape } from './streams.ts'
import { router } from './trpc.ts'

const roomName = () => text().meta({ description: 'A channel’s username, in any case.', example: examples.username })

const roomChanges = (): StreamShape<RoomChange> => ({ key: 'room', mark: String, itemOf: roomChangeOf })

export const chatRouter = router({
  list: operation('GET /v1/chat/messages', {
    id: 'listChatMessages',
    tag: 'Chat',
    summary: 'List the newest messages of a room',
    description: 'Oldest first within a page; the next page holds older messages. A room that does not exist is empty.',
    access: 'chat:read',
    envelope: 'page',
    problems: ['invalid_cursor'],
  })
    .input(z.object({ room_name: roomName(), ...paging() }))
    .output(page(ListedMessage))
    .query(({ ctx, input }) => listMessages(ctx, input)),

  send: operation('POST /v1/chat/messages', {
    id: 'sendChatMessage',
    tag: 'Chat',
    summary: 'Send a chat message',
    description: 'At most 20 messages in 30 s into one room, 100 into one’s own.',
    access: 'chat:write',
    by: 'user',
    status: 201,
    problems: ['unknown_room', 'sender_banned', 'message_too_long'],
    countBefore: countMessage,
  })
    .input(
      z.object({
        room_name: roomName(),
        content: text().meta({
          description: `1 to ${MESSAGE_LENGTH_MAX} characters (code points).`,
          maxLength: MESSAGE_LENGTH_MAX,
          example: 'Hello!',
        }),
      }),
    )
    .output(SentMessage)
    .mutation(({ ctx, input }) => sendMessage(ctx, input)),

  delete: operation('DELETE /v1/chat/{messageId}', {
    id: 'deleteChatMessage',
    tag: 'Chat',
    summary: 'Delete a chat message',
    description: 'For its author and the owner of the room.',
    destroys: 'The message disappears for everybody in the room, at once and for good.',
    access: 'chat:write',
    by: 'user',
    status: 204,
    envelope: 'none',
    problems: ['forbidden', 'message_not_found'],
  })
    .input(z.object({ messageId: pathParameter('The identifier of the message.', examples.messageId) }))
    .output(z.void())
    .mutation(({ ctx, input }) => deleteMessage(ctx, input.messageId)),

  watch: procedure({ access: 'chat:read' })
    .input(z.object({ room_name: text(), lastEventId: text().nullish() }))
    .subscription(({ ctx, input: { room_name, lastEventId: after } }) =>
      live(watchRoom(ctx, { room_name, after }), roomChanges),
    ),
})
