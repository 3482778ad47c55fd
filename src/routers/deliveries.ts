import * as z from 'zod'
import type { Context } from '../domain/core/context.ts'
import type { LoggedEvent } from '../domain/core/live.ts'
import { Timestamp } from '../domain/core/timestamp.ts'
import { encodeFeedCursor } from '../domain/events/feed/cursor.ts'
import { followEvents } from '../domain/events/feed/follow-feed.ts'
import { subscribableTypes } from '../domain/events/types.ts'
import { getDelivery, listDeliveries } from '../domain/webhooks/deliveries/ledger.ts'
import { redeliver } from '../domain/webhooks/deliveries/redeliver.ts'
import { replayDeliveries, replayKinds } from '../domain/webhooks/deliveries/replay.ts'
import { Delivery, DeliveryDetails, deliveryOutcomes } from '../domain/webhooks/deliveries/resources.ts'
import { watchDeliveries } from '../domain/webhooks/deliveries/watch.ts'
import { DeliveryStatus, deliveryStatus } from '../domain/webhooks/worker/delivery-status.ts'
import { listOf, page, paging, text } from './fields.ts'
import { procedure } from './operation.ts'
import { live, type StreamShape } from './streams.ts'
import { router } from './trpc.ts'

const SEARCH_LENGTH_MAX = 200
const byId = () => z.object({ id: text() })
const timeRange = () => ({ from: text().optional(), to: text().optional() })

type FollowedEvents = { events: LoggedEvent[] }

const followedEvents =
  (ctx: Context) =>
  (key: string): StreamShape<FollowedEvents> => ({
    key: `events ${key}`,
    mark: (place, at) => encodeFeedCursor(ctx, key, { place, at }),
    itemOf: ({ id, type, payload }) => ({ events: [{ id, type, payload }] }),
    first: { events: [] },
  })

/** Deliveries and events, for the owner of an application and for the application itself. */
export const deliveriesRouter = router({
  list: procedure({ access: 'sessionOrApplication', role: 'viewer' })
    .input(
      z.object({
        subscription: text().optional(),
        application_id: text().optional(),
        outcome: z.enum(deliveryOutcomes).optional(),
        type: text().optional(),
        event: text().optional(),
        message: text().optional(),
        status: z
          .string()
          .regex(/^([1-5]\d\d|[1-5]xx|none)$/, 'must be a status, as 500, one of 1xx to 5xx, or none')
          .optional(),
        text: text().max(SEARCH_LENGTH_MAX, `must have at most ${SEARCH_LENGTH_MAX} characters`).optional(),
        ...timeRange(),
        ...paging(),
      }),
    )
    .output(page(Delivery).extend({ looked_back_to: Timestamp.nullable() }))
    .query(({ ctx, input }) => listDeliveries(ctx, input)),

  get: procedure({ access: 'sessionOrApplication', role: 'viewer' })
    .input(byId())
    .output(DeliveryDetails)
    .query(({ ctx, input }) => getDelivery(ctx, input)),

  redeliver: procedure({ access: 'sessionOrApplication', role: 'developer' })
    .input(byId())
    .output(z.void())
    .mutation(({ ctx, input }) => redeliver(ctx, input)),

  replay: procedure({ access: 'sessionOrToken', role: 'developer', deadlineMs: 25_000 }) // a chunk is up to three slow statements
    .input(z.object({ subscription: text(), only: z.enum(replayKinds), after: text().optional(), ...timeRange() }))
    .output(z.object({ queued: z.number(), hastened: z.number(), next: z.string().nullable() }))
    .mutation(({ ctx, input }) => replayDeliveries(ctx, input)),

  status: procedure({ access: 'sessionOrApplication' })
    .input(z.object({}))
    .output(DeliveryStatus)
    .query(({ ctx }) => deliveryStatus(ctx)),

  follow: procedure({ access: 'sessionOrApplication' })
    .input(
      z.object({
        types: listOf(z.enum(subscribableTypes)).optional(),
        since: text().optional(),
        lastEventId: text().nullish(),
      }),
    )
    .subscription(({ ctx, input: { types, since, lastEventId } }) =>
      live(followEvents(ctx, lastEventId ? { types, after: lastEventId } : { types, since }), followedEvents(ctx)),
    ),

  watch: procedure({ access: 'sessionOrApplication', role: 'viewer' })
    .input(z.object({ subscription: text().optional(), application_id: text().optional() }))
    .subscription(({ ctx, input, signal }) => watchDeliveries(ctx, input, signal)),
})
