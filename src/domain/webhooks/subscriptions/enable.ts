import { and, eq, isNull } from 'drizzle-orm'
import { webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import { actorBehind, audit } from '../../audit/audit.ts'
import type { ActorContext } from '../../core/context.ts'
import { dbNow } from '../../core/db-now.ts'
import { Problem } from '../../core/problem.ts'
import { transact } from '../../core/transaction.ts'
import { takeTurn } from '../../core/turns/take-turn.ts'
import { requireActiveAccounts } from './account-check.ts'
import { requireGrant } from './grant-coverage.ts'
import { requireRoom } from './limit.ts'
import { countMissed } from './missed-events.ts'
import { type OwnedSubscription, ownerAsked, requireSubscription } from './ownership.ts'

/** Cleared, so that the failures that disabled it do not disable it again at once. */
const healthy = {
  status: 'enabled',
  disabledReason: null,
  disabledAt: null,
  consecutiveFailures: 0,
  failedAttempts: 0,
  firstFailureAt: null,
  openUntil: null,
  openForS: 0,
} as const

/**
 * Enables a subscription and clears its health. Returns how many events of the last 30 days it missed (see `countMissed`), in its turn, so that nothing is enabled that is refused: replaying them is a step of its own. Throws `subscription_not_found`, and `forbidden` while the user's grant is
 * gone or the application is stopped, and `limit_reached` when others took its place while it had no grant.
 */
export async function enableSubscription(ctx: ActorContext, { id }: { id: string }): Promise<{ missed: number }> {
  const work = async () => {
    const subscription = await requireSubscription(ctx, id)
    await enable(ctx, subscription)
    return { missed: await countMissed(ctx, subscription) }
  }
  return takeTurn(ctx, work, { owner: await ownerAsked(ctx, { subscription: id }) })
}

async function enable(ctx: ActorContext, subscription: OwnedSubscription): Promise<void> {
  const { id } = subscription
  await transact(ctx, async (tx) => {
    const { ownerId } = await requireActiveAccounts(tx, subscription)
    await requireGrant(tx, subscription)
    if (subscription.disabledReason === 'grant_lost') await requireRoom(tx, { ...subscription, ownerId })
    const enabled = await tx.db
      .update(subscriptions)
      .set({ ...healthy, restedAt: dbNow, updatedAt: dbNow })
      .where(and(eq(subscriptions.id, id), isNull(subscriptions.deletedAt)))
      .returning({ id: subscriptions.id })
    if (enabled.length === 0) throw new Problem('subscription_not_found', 'The subscription was just deleted.')
    const { clientId, userId } = subscription
    const actor = actorBehind(ctx.principal)
    await audit(tx, { actor, action: 'subscription.enabled', userId, clientId, targetId: id })
    tx.afterCommit(tx.wake)
  })
}
