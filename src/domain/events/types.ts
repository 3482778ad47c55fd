import * as z from 'zod'
import { Ban, Channel, EventMessage, Livestream } from '../core/resources.ts'

/** The data of `webhook.test`, which is sent on demand to one subscription and has no cause in the product. */
const TestNotice = z
  .object({ message: z.string().meta({ example: 'This is a test: nothing has happened.' }) })
  .meta({ id: 'TestNotice' })

/**
 * Event type → what its `data` is. The schemas are those of the REST answers, so an event and an answer cannot differ.
 * Rows of a type that was removed from here stay readable: no code may assume that the type of an old row is a key of this.
 */
export const eventTypes = {
  'livestream.started': Livestream,
  'livestream.updated': Livestream,
  'livestream.ended': Livestream,
  'chat.message.sent': EventMessage,
  'chat.message.deleted': EventMessage,
  'moderation.ban.created': Ban,
  'moderation.ban.removed': Ban,
  'channel.updated': Channel,
  'webhook.test': TestNotice,
} as const satisfies Record<string, z.ZodType>

export type EventType = keyof typeof eventTypes
export type EventData<Type extends EventType> = z.input<(typeof eventTypes)[Type]>

/** Every type that a subscription can ask for. */
export const subscribableTypes = (Object.keys(eventTypes) as EventType[]).filter((type) => type !== 'webhook.test')
export type SubscribableType = (typeof subscribableTypes)[number]

/** A type that only the channel's own user may receive, by a token with a moderation scope. */
export const isModerationType = (type: string): boolean => type.startsWith('moderation.')

/** Event type → the schema of its whole payload. */
export const eventPayloads = Object.fromEntries(
  Object.entries(eventTypes).map(([type, data]) => [type, payloadOf(z.literal(type), data)]),
) as Record<EventType, ReturnType<typeof payloadOf>>

/** The payload of a type that will come: there may be more. */
export const otherPayload = payloadOf(
  z.string().meta({ description: 'One that is not known yet.', not: { enum: Object.keys(eventTypes) } }),
  z.looseObject({}),
)

/** Event type → JSON Schema (2020-12) of its whole payload. Open to new fields, because payloads may grow. */
export function eventSchemas(): Record<EventType, object> {
  const schemas = Object.entries(eventPayloads).map(([type, payload]) => [
    type,
    z.toJSONSchema(payload, { io: 'input', reused: 'inline' }),
  ])
  return Object.fromEntries(schemas) as Record<EventType, object>
}

function payloadOf(type: z.ZodType<string>, data: z.ZodType) {
  return z.object({
    id: z.string().meta({ description: 'The same on every attempt and replay, and in the header `webhook-id`.' }),
    type,
    timestamp: z.string().meta({ format: 'date-time' }),
    channel: z.object({ id: z.string(), username: z.string() }),
    sequence: z.int().meta({ description: 'Counts the events of the channel from 1 without gaps; 0 in a test.' }),
    data,
  })
}
