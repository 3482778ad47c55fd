import * as z from 'zod'
import { examples } from '../../shared/examples.ts'
import { sampleData } from './sample.ts'
import { type EventType, eventSchemas, isModerationType, subscribableTypes } from './types.ts'

/** An event type as the documentation and the console show it. */
export const ListedEventType = z.object({
  type: z.string(),
  description: z.string(),
  /** Only for the channel's own user, by a token with a moderation scope. */
  for_moderators: z.boolean(),
  schema: z.record(z.string(), z.unknown()),
  sample: z.record(z.string(), z.unknown()),
})
export type ListedEventType = z.output<typeof ListedEventType>

const descriptions: Record<EventType, string> = {
  'livestream.started': 'A channel has gone live.',
  'livestream.updated': 'The title or the category of a running live stream has changed.',
  'livestream.ended': 'A live stream has ended.',
  'chat.message.sent': 'Somebody has said something in the room of a channel.',
  'chat.message.deleted': 'A message was taken away by its author or by the owner of the room.',
  'moderation.ban.created': 'A channel has banned somebody.',
  'moderation.ban.removed': 'A channel has lifted a ban.',
  'channel.updated': 'The bio or the picture of a channel has changed.',
  'webhook.test': 'Sent on demand, to one subscription, to see whether it arrives.',
}

/** Every event type with the schema of its payload and an example of one. */
export function listEventTypes(): ListedEventType[] {
  const schemas = eventSchemas()
  return [...subscribableTypes, 'webhook.test' as const].map((type) => ({
    type,
    description: descriptions[type],
    for_moderators: isModerationType(type),
    schema: schemas[type] as Record<string, unknown>,
    sample: sampleOf(type),
  }))
}

const sampleOf = (type: EventType) => ({
  id: 'evt_01kdyrfq3e7y2n8v4c5b6m9t0a',
  type,
  timestamp: '2026-01-02T03:04:05.678Z',
  channel: { id: examples.userId, username: examples.username },
  sequence: type === 'webhook.test' ? 0 : 42,
  data: sampleData(type),
})
