import * as z from 'zod'
import { CreatedSubscription, Subscription } from '../domain/core/resources.ts'
import { createSubscription } from '../domain/webhooks/subscriptions/create.ts'
import { deleteSubscription } from '../domain/webhooks/subscriptions/delete.ts'
import { listSubscriptions } from '../domain/webhooks/subscriptions/list.ts'
import { byApplication } from '../domain/webhooks/subscriptions/ownership.ts'
import { WEBHOOK_DESCRIPTION_LENGTH_MAX } from '../shared/limits.ts'
import { page, paging, pathParameter, shortText, text } from './fields.ts'
import { operation } from './operation.ts'
import { router } from './trpc.ts'

export const eventsRouter = router({
  list: operation('GET /v1/events/subscriptions', {
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
        url: text().meta({ format: 'uri', example: 'https://receiver.example/webhooks' }),
        event_types: z
          .array(text())
          .min(1)
          .meta({ example: ['chat.message.sent'] }),
        description: shortText(WEBHOOK_DESCRIPTION_LENGTH_MAX),
      }),
    )
    .output(CreatedSubscription)
    .mutation(({ ctx, input }) => createSubscription(ctx, input)),

  delete: operation('DELETE /v1/events/subscriptions/{id}', {
    tag: 'Events',
    summary: 'Delete a webhook subscription',
    description: 'Nothing is sent any more, also not what is pending.',
    access: 'webhook:write',
    status: 204,
    envelope: 'none',
    problems: ['subscription_not_found', 'forbidden'],
  })
    .input(z.object({ id: pathParameter() }))
    .output(z.void())
    .mutation(({ ctx, input }) => deleteSubscription(byApplication(ctx), input)),
})
