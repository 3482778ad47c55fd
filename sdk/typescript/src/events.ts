import type {
  ChannelUpdatedEvent,
  ChatMessageDeletedEvent,
  ChatMessageSentEvent,
  LivestreamEndedEvent,
  LivestreamStartedEvent,
  LivestreamUpdatedEvent,
  ModerationBanCreatedEvent,
  ModerationBanRemovedEvent,
  WebhookTestEvent,
} from './generated/types.gen.ts'

/**
 * What happened in a channel; `type` tells which. More types will come: leave a branch for those that your program does not
 * know, and do nothing there.
 */
export type FeedEvent =
  | LivestreamStartedEvent
  | LivestreamUpdatedEvent
  | LivestreamEndedEvent
  | ChatMessageSentEvent
  | ChatMessageDeletedEvent
  | ModerationBanCreatedEvent
  | ModerationBanRemovedEvent
  | ChannelUpdatedEvent

export type EventType = FeedEvent['type']
/** The events of some types. */
export type EventOf<Type extends EventType> = Extract<FeedEvent, { type: Type }>
/** What a webhook brings: the same, and tests. */
export type WebhookEvent = FeedEvent | WebhookTestEvent
