import { and, eq } from 'drizzle-orm'
import { webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import { actorBehind, audit } from '../../audit/audit.ts'
import type { ActorContext } from '../../core/context.ts'
import { dbNow } from '../../core/db-now.ts'
import { transact } from '../../core/transaction.ts'
import { requireSubscription } from './ownership.ts'

/**
 * Stops a subscription until its owner enables it again: what is pending is held, and events meanwhile can be replayed.
 * Nothing happens to one that is disabled already. Throws `subscription_not_found`.
 */
export async function disableSubscription(ctx: ActorContext, { id }: { id: string }): Promise<void> {
  const { clientId, userId } = await requireSubscription(ctx, id)
  await transact(ctx, async (tx) => {
    const disabled = await tx.db
      .update(subscriptions)
      .set({ status: 'disabled', disabledReason: 'owner', disabledAt: dbNow, updatedAt: dbNow })
      .where(and(eq(subscriptions.id, id), eq(subscriptions.status, 'enabled')))
      .returning({ id: subscriptions.id })
    if (disabled.length === 0) return
    const actor = actorBehind(ctx.principal)
    await audit(tx, { actor, action: 'subscription.disabled', userId, clientId, targetId: id })
    tx.afterCommit(tx.wake)
  })
}
