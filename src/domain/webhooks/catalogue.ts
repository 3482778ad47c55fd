import * as z from 'zod'
import { Ban, Channel, ListedMessage, Livestream, SentMessage } from '../resources.ts'

/** A chat message as events carry it: both forms of the REST resource joined. */
export const Message = z.object({ ...SentMessage.shape, ...ListedMessage.shape }).meta({ id: 'Message' })

/** What `webhook.test` carries: it is sent on demand, to one subscription, and has no cause in the product. */
export const TestNotice = z.object({ message: z.string() }).meta({ id: 'TestNotice' })

/**
 * Event type → what its `data` is. The schemas are those of the REST answers, so an event and an answer cannot differ.
 * Rows of a type that is no longer here stay readable: nothing looks an old row's type up in this table without asking.
 */
export const catalogue = {
  'livestream.started': Livestream,
  'livestream.updated': Livestream,
  'livestream.ended': Livestream,
  'chat.message.sent': Message,
  'chat.message.deleted': Message,
  'moderation.ban.created': Ban,
  'moderation.ban.removed': Ban,
  'channel.updated': Channel,
  'webhook.test': TestNotice,
} as const satisfies Record<string, z.ZodType>

export type EventType = keyof typeof catalogue
export type EventData<Type extends EventType> = z.input<(typeof catalogue)[Type]>

/** Every type that a subscription can ask for. */
export const subscribableTypes = (Object.keys(catalogue) as EventType[]).filter((type) => type !== 'webhook.test')

export const isEventType = (value: string): value is EventType => Object.hasOwn(catalogue, value)

/** A type that only the channel's own user may receive, by a token with a moderation scope. */
export const isModerationType = (type: string): boolean => type.startsWith('moderation.')
