import { and, eq, isNull, sql } from 'drizzle-orm'
import { webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import { requireOwnedApplication as requireApplication } from '../../access/ownership.ts'
import { actorBehind } from '../../audit/audit.ts'
import type { UserContext } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import type { CreatedSubscription } from '../../core/resources.ts'
import { isScope } from '../../core/scopes.ts'
import { transact } from '../../core/transaction.ts'
import { stopSubscription } from './delete.ts'
import { requireOwnedSubscription, type SubscriptionOwnerContext } from './ownership.ts'
import { createSubscription, type NewSubscription } from './subscriptions.ts'

/**
 * Subscribes an application of the caller's to events of every channel, as it could do itself with a key. Throws
 * `not_found`, `invalid_scope` when it is not registered for webhooks, and what `createSubscription` throws.
 */
export async function createForApplication(
  ctx: UserContext,
  { application_id: clientId, ...subscription }: NewSubscription & { application_id: string },
): Promise<CreatedSubscription> {
  const application = await requireApplication(ctx, clientId)
  const scopes = application.scopes.filter(isScope)
  if (!scopes.includes('webhook:write')) {
    throw new Problem('invalid_scope', 'application_id: this application is not registered for "webhook:write".')
  }
  const asApplication = { ...ctx, principal: { kind: 'application', clientId, scopes } } as const
  return createSubscription(asApplication, subscription, actorBehind(ctx.principal))
}

/** Deletes a subscription of one of the caller's applications. Throws `subscription_not_found`. */
export async function deleteOwned(ctx: SubscriptionOwnerContext, { id }: { id: string }): Promise<void> {
  await requireOwnedSubscription(ctx, id)
  await stopSubscription(ctx, id, isNull(subscriptions.deletedAt))
}

/**
 * Stops a subscription until its owner enables it again: what is pending is held, and events meanwhile can be replayed.
 * Nothing happens to one that is disabled already. Throws `subscription_not_found`.
 */
export async function disableOwned(ctx: SubscriptionOwnerContext, { id }: { id: string }): Promise<void> {
  await requireOwnedSubscription(ctx, id)
  await transact(ctx, async (tx) => {
    const at = sql`statement_timestamp()`
    await tx.db
      .update(subscriptions)
      .set({ status: 'disabled', disabledReason: 'owner', disabledAt: at, updatedAt: at })
      .where(and(eq(subscriptions.id, id), eq(subscriptions.status, 'enabled')))
    tx.afterCommit(tx.wake)
  })
}
