import { and, asc, eq, gt, isNull } from 'drizzle-orm'
import { webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import type { ActorContext } from '../../core/context.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from '../../core/paging.ts'
import type { Subscription } from '../../core/resources.ts'
import { selectSubscriptionDetails, toSubscriptionDetails } from './details.ts'
import { owns, reaches } from './ownership.ts'
import type { SubscriptionDetails } from './resources.ts'

const columns = {
  id: subscriptions.id,
  url: subscriptions.url,
  event_types: subscriptions.eventTypes,
  description: subscriptions.description,
  status: subscriptions.status,
  created_at: subscriptions.createdAt,
}

/** The caller's subscriptions as REST shows them, oldest first. */
export async function listSubscriptions(
  ctx: ActorContext,
  { limit, cursor }: PageRequest,
): Promise<Page<Subscription>> {
  const list = 'subscriptions'
  const [after = ''] = decodeCursor(ctx, list, cursor) ?? []
  const rows = await ctx.db
    .select(columns)
    .from(subscriptions)
    .where(and(owns(ctx), isNull(subscriptions.deletedAt), gt(subscriptions.id, after)))
    .orderBy(asc(subscriptions.id))
    .limit(limit + 1)
  const shown = rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }))
  return toPage(ctx, list, shown, limit, ({ id }) => [id])
}

type DetailsFilter = PageRequest & { application_id?: string | undefined }

/** The subscriptions that the caller reaches, with their health, all or those of one application, oldest first. */
export async function listSubscriptionDetails(
  ctx: ActorContext,
  { limit, cursor, application_id: clientId }: DetailsFilter,
): Promise<Page<SubscriptionDetails>> {
  const list = 'webhooks'
  const [after = ''] = decodeCursor(ctx, list, cursor) ?? []
  const isOfApplication = clientId === undefined ? undefined : eq(subscriptions.clientId, clientId)
  const rows = await selectSubscriptionDetails(ctx)
    .where(and(gt(subscriptions.id, after), isNull(subscriptions.deletedAt), isOfApplication, reaches(ctx)))
    .orderBy(asc(subscriptions.id))
    .limit(limit + 1)
  return toPage(ctx, list, rows.map(toSubscriptionDetails), limit, ({ id }) => [id])
}
