import { and, eq } from 'drizzle-orm'
import { webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import type { ActorContext } from '../../core/context.ts'
import { dbNow } from '../../core/db-now.ts'
import { requireOwnedSubscription } from './ownership.ts'

/**
 * Stops a subscription until its owner enables it again: what is pending is held, and events meanwhile can be replayed.
 * Nothing happens to one that is disabled already. Throws `subscription_not_found`.
 */
export async function disableSubscription(ctx: ActorContext, { id }: { id: string }): Promise<void> {
  await requireOwnedSubscription(ctx, id)
  await ctx.db
    .update(subscriptions)
    .set({ status: 'disabled', disabledReason: 'owner', disabledAt: dbNow, updatedAt: dbNow })
    .where(and(eq(subscriptions.id, id), eq(subscriptions.status, 'enabled')))
  ctx.wake()
}
