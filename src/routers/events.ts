import * as z from 'zod'
import type { Context } from '../domain/core/context.ts'
import { CreatedSubscription, Subscription } from '../domain/core/resources.ts'
import { encodeFeedCursor } from '../domain/events/feed/cursor.ts'
import { followFeed } from '../domain/events/feed/follow-feed.ts'
import { readFeed } from '../domain/events/feed/read-feed.ts'
import { feedScopes } from '../domain/events/feed/readable-types.ts'
import { WAITING_DEADLINE_MS } from '../domain/events/feed/wait.ts'
import { subscribableTypes } from '../domain/events/types.ts'
import { createSubscription } from '../domain/webhooks/subscriptions/create.ts'
import { deleteSubscription } from '../domain/webhooks/subscriptions/delete.ts'
import { listSubscriptions } from '../domain/webhooks/subscriptions/list.ts'
import { byApplication } from '../domain/webhooks/subscriptions/ownership.ts'
import { examples } from '../shared/examples.ts'
import { WEBHOOK_DESCRIPTION_LENGTH_MAX, WEBHOOK_URL_LENGTH_MAX } from '../shared/limits.ts'
import { listOf, page, paging, pathParameter, shortText, text, wholeNumber } from './fields.ts'
import { operation, procedure } from './operation.ts'
import { live, type StreamShape } from './streams.ts'
import { router } from './trpc.ts'

/** `payload` is the body of a delivery, to the byte. */
const LoggedEvent = z.object({ id: z.string(), type: z.string(), payload: z.string() })

const feedEvents =
  (ctx: Context) =>
  (key: string): StreamShape<z.output<typeof LoggedEvent>> => ({
    key: `feed ${key}`,
    mark: (place, at) => encodeFeedCursor(ctx, key, { place, at }),
    itemOf: ({ id, type, payload }) => ({ id, type, payload }),
  })

/** What both ways of reading the feed take. */
const selection = () => ({
  after: text().meta({ description: 'A cursor: what came behind it. Take it from the `Link` header.' }).optional(),
  since: text()
    .meta({
      description: 'A time (RFC 3339): what happened from then on. Not together with `after`.',
      format: 'date-time',
      example: '2026-01-02T03:04:05Z',
    })
    .optional(),
  types: text()
    .meta({
      description: 'Event types, separated by commas; by default all that the credential may read.',
      example: 'chat.message.sent,livestream.started',
    })
    .optional(),
  channel: text()
    .meta({
      description: 'The username or the identifier of a channel. A user’s token reads its own alone.',
      example: examples.username,
    })
    .optional(),
})

export const eventsRouter = router({
  read: operation('GET /v1/events', {
    id: 'readEvents',
    tag: 'Events',
    summary: 'Read what has happened',
    description:
      'The same events that webhooks get, oldest first. Without `after` and `since` it begins now; `Link` always leads to what ' +
      'comes next. With `Accept: text/event-stream` it is a stream that stays open.',
    access: feedScopes,
    by: 'reader',
    envelope: 'feed',
    isExtension: true,
    deadlineMs: WAITING_DEADLINE_MS,
    problems: [
      'invalid_cursor',
      'unknown_event_type',
      'forbidden',
      'user_token_required',
      'channel_not_found',
      'cursor_expired',
    ],
  })
    .input(
      z.object({
        ...selection(),
        limit: wholeNumber(1, 100).default(100).meta({ description: 'How many events a page has at most.' }),
        wait: wholeNumber(0, 25).default(0).meta({ description: 'How many seconds an empty page is held back.' }),
      }),
    )
    .output(z.object({ events: z.array(LoggedEvent), next: z.string() }))
    .query(({ ctx, input, signal }) => readFeed(ctx, input, signal ?? ctx.stopping)),

  follow: procedure({ access: feedScopes, by: 'reader' })
    .input(z.object({ ...selection(), lastEventId: text().nullish() }))
    .subscription(({ ctx, input: { lastEventId, since, ...input } }) =>
      live(followFeed(ctx, lastEventId ? { ...input, after: lastEventId } : { ...input, since }), feedEvents(ctx)),
    ),

  list: operation('GET /v1/events/subscriptions', {
    id: 'listSubscriptions',
    tag: 'Events',
    summary: 'List webhook subscriptions',
    description: 'Oldest first: those of the application, or with a user’s token those that it made for the user.',
    access: 'webhook:write',
    envelope: 'page',
    problems: ['invalid_cursor', 'forbidden'],
  })
    .input(z.object(paging()))
    .output(page(Subscription))
    .query(({ ctx, input }) => listSubscriptions(byApplication(ctx), input)),

  create: operation('POST /v1/events/subscriptions', {
    id: 'createSubscription',
    tag: 'Events',
    summary: 'Create a webhook subscription',
    description:
      'With a user’s token it receives the events of that user’s channel, with an application’s those of every channel. ' +
      'The signing secret is in this answer and never again.',
    access: 'webhook:write',
    status: 201,
    problems: ['invalid_url', 'unknown_event_type', 'limit_reached', 'user_token_required', 'forbidden'],
  })
    .input(
      z.object({
        url: text().meta({
          description: 'Where events are sent by POST: https, and reachable from the internet.',
          format: 'uri',
          maxLength: WEBHOOK_URL_LENGTH_MAX,
          example: 'https://receiver.example/webhooks',
        }),
        event_types: listOf(text().meta({ enum: [...subscribableTypes] }))
          .min(1)
          .meta({ description: 'What is sent. `moderation.*` needs a user’s token.', example: ['chat.message.sent'] }),
        description: shortText(WEBHOOK_DESCRIPTION_LENGTH_MAX).meta({
          description: 'Of your choice, for you to read.',
          example: 'Production',
        }),
      }),
    )
    .output(CreatedSubscription)
    .mutation(({ ctx, input }) => createSubscription(ctx, input)),

  delete: operation('DELETE /v1/events/subscriptions/{id}', {
    id: 'deleteSubscription',
    tag: 'Events',
    summary: 'Delete a webhook subscription',
    description: 'Nothing is sent any more, also not what is pending.',
    destroys: 'The subscription, its signing secret and its pending deliveries are gone for good.',
    access: 'webhook:write',
    status: 204,
    envelope: 'none',
    problems: ['subscription_not_found', 'forbidden'],
  })
    .input(z.object({ id: pathParameter('The identifier of the subscription.', examples.subscriptionId) }))
    .output(z.void())
    .mutation(({ ctx, input }) => deleteSubscription(byApplication(ctx), input)),
})
