import * as z from 'zod'
import { CreatedSubscription } from '../domain/core/resources.ts'
import { ListedEventType, listEventTypes } from '../domain/events/type-list.ts'
import { subscribableTypes } from '../domain/events/types.ts'
import { AttemptInfo } from '../domain/webhooks/deliveries/resources.ts'
import { testSubscription } from '../domain/webhooks/deliveries/test-delivery.ts'
import { createSubscriptionForApplication, heardChannels } from '../domain/webhooks/subscriptions/create.ts'
import { deleteReachedSubscription } from '../domain/webhooks/subscriptions/delete.ts'
import { disableSubscription } from '../domain/webhooks/subscriptions/disable.ts'
import { enableSubscription } from '../domain/webhooks/subscriptions/enable.ts'
import { getSubscription } from '../domain/webhooks/subscriptions/get.ts'
import { listSubscriptionDetails } from '../domain/webhooks/subscriptions/list.ts'
import { SecretInfo, SubscriptionDetails } from '../domain/webhooks/subscriptions/resources.ts'
import { OVERLAP_S_MAX, rotateSigningSecret } from '../domain/webhooks/subscriptions/rotate.ts'
import { updateSubscription } from '../domain/webhooks/subscriptions/update.ts'
import { WEBHOOK_DESCRIPTION_LENGTH_MAX } from '../shared/limits.ts'
import { listOf, page, paging, shortText, text } from './fields.ts'
import { procedure } from './operation.ts'
import { router } from './trpc.ts'

const byId = () => z.object({ id: text() })

/**
 * Subscriptions, for the owner of an application and for the application itself, which reads, tests and deletes those of its users
 * too. What a user's token made, that token changes, tests and has sent again.
 */
export const webhooksRouter = router({
  list: procedure({ access: 'sessionOrApplication', role: 'viewer' })
    .input(z.object({ application_id: text().optional(), ...paging() }))
    .output(page(SubscriptionDetails))
    .query(({ ctx, input }) => listSubscriptionDetails(ctx, input)),

  get: procedure({ access: 'sessionOrApplication', role: 'viewer' })
    .input(byId())
    .output(SubscriptionDetails.extend({ secrets: z.array(SecretInfo) }))
    .query(({ ctx, input }) => getSubscription(ctx, input)),

  rotateSecret: procedure({ access: 'session', role: 'developer', needs: ['stepUp'] })
    .input(z.object({ id: text(), overlap_s: z.number().int().min(0).max(OVERLAP_S_MAX).optional() }))
    .output(z.object({ signing_secret: z.string() }))
    .mutation(({ ctx, input }) => rotateSigningSecret(ctx, input)),

  enable: procedure({ access: 'session', role: 'developer' })
    .input(byId())
    .output(z.object({ missed: z.number() }))
    .mutation(({ ctx, input }) => enableSubscription(ctx, input)),

  test: procedure({ access: 'sessionOrToken', role: 'developer', deadlineMs: 20_000 }) // a receiver has 15 s to answer
    .input(z.object({ id: text(), type: z.enum(['webhook.test', ...subscribableTypes]).optional() }))
    .output(AttemptInfo.extend({ delivery_id: z.string() }))
    .mutation(({ ctx, input }) => testSubscription(ctx, input)),

  create: procedure({ access: 'session', role: 'developer', needs: ['stepUp'] })
    .input(
      z.object({
        application_id: text(),
        channel: z.enum(heardChannels).optional(),
        url: text(),
        event_types: listOf(text()).min(1),
        description: shortText(WEBHOOK_DESCRIPTION_LENGTH_MAX),
      }),
    )
    .output(CreatedSubscription)
    .mutation(({ ctx, input }) => createSubscriptionForApplication(ctx, input)),

  disable: procedure({ access: 'session', role: 'developer' })
    .input(byId())
    .output(z.void())
    .mutation(({ ctx, input }) => disableSubscription(ctx, input)),

  update: procedure({ access: 'webhook:write', role: 'developer' })
    .input(
      z.object({
        id: text(),
        url: text().optional(),
        event_types: listOf(text()).min(1).optional(),
        description: shortText(WEBHOOK_DESCRIPTION_LENGTH_MAX),
      }),
    )
    .output(SubscriptionDetails)
    .mutation(({ ctx, input }) => updateSubscription(ctx, input)),

  delete: procedure({ access: 'sessionOrApplication', role: 'developer', needs: ['stepUp'] })
    .input(byId())
    .output(z.void())
    .mutation(({ ctx, input }) => deleteReachedSubscription(ctx, input)),

  eventTypes: procedure({ access: 'sessionOrApplication' })
    .input(z.object({}))
    .output(z.array(ListedEventType))
    .query(() => listEventTypes()),
})
