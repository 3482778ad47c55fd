import { and, eq, isNull, type SQL } from 'drizzle-orm'
import { webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import type { ActorContext } from '../../core/context.ts'
import { dbNow } from '../../core/db-now.ts'
import { type InTransaction, transact } from '../../core/transaction.ts'
import { requireOwnedSubscription } from './ownership.ts'

/**
 * Stops a subscription until its owner enables it again: what is pending is held, and events meanwhile can be replayed.
 * Nothing happens to one that is disabled already. Throws `subscription_not_found`.
 */
export async function disableSubscription(ctx: ActorContext, { id }: { id: string }): Promise<void> {
  await requireOwnedSubscription(ctx, id)
  await transact(ctx, (tx) => disable(tx, 'owner', eq(subscriptions.id, id)))
}

/** Of an application for a user, of an application, or about a user. */
type Whose = { clientId: string; userId?: string } | { clientId?: string; userId: string }

/**
 * Disables subscriptions in the same transaction that takes away what they depend on: the last living grant, the
 * application, or the user. An expired token takes nothing away, and a new consent enables nothing by itself.
 */
export async function disableForLostGrant(tx: InTransaction, { clientId, userId }: Whose): Promise<void> {
  const isOfApplication = clientId === undefined ? undefined : eq(subscriptions.clientId, clientId)
  const isAboutUser = userId === undefined ? undefined : eq(subscriptions.userId, userId)
  await disable(tx, 'grant_lost', and(isOfApplication, isAboutUser, isNull(subscriptions.deletedAt)))
}

async function disable(tx: InTransaction, disabledReason: 'owner' | 'grant_lost', which: SQL | undefined) {
  await tx.db
    .update(subscriptions)
    .set({ status: 'disabled', disabledReason, disabledAt: dbNow, updatedAt: dbNow })
    .where(and(which, eq(subscriptions.status, 'enabled')))
  tx.afterCommit(tx.wake)
}
