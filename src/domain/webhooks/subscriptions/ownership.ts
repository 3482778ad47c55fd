import { and, eq, isNull, type SQL } from 'drizzle-orm'
import { clients, webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import type { Actor } from '../../core/actor.ts'
import type { Context } from '../../core/context.ts'
import { isId } from '../../core/ids.ts'
import { Problem } from '../../core/problem.ts'

/** Who looks after subscriptions: the application itself, the user who owns it, or the operator. */
export type SubscriptionOwnerContext = Context & { principal: Actor }

export type OwnedSubscription = Pick<
  typeof subscriptions.$inferSelect,
  'id' | 'clientId' | 'userId' | 'url' | 'eventTypes' | 'status' | 'disabledAt' | 'createdAt'
>

/**
 * What restricts subscriptions (joined with their `clients`) to those of the caller: of one's own applications for a
 * login session, its own for an application (users' are theirs alone), none for the operator.
 */
export function isOwnedSubscription({ principal }: SubscriptionOwnerContext): SQL | undefined {
  if (principal.kind === 'operator') return undefined
  if (principal.kind === 'application') {
    return and(eq(subscriptions.clientId, principal.clientId), isNull(subscriptions.userId))
  }
  return eq(clients.ownerId, principal.userId)
}

/** A subscription of the caller's that is not deleted. Throws `subscription_not_found`. */
export async function requireOwnedSubscription(ctx: SubscriptionOwnerContext, id: string): Promise<OwnedSubscription> {
  const [found] = isId('subscription', id)
    ? await ctx.db
        .select({
          id: subscriptions.id,
          clientId: subscriptions.clientId,
          userId: subscriptions.userId,
          url: subscriptions.url,
          eventTypes: subscriptions.eventTypes,
          status: subscriptions.status,
          disabledAt: subscriptions.disabledAt,
          createdAt: subscriptions.createdAt,
        })
        .from(subscriptions)
        .innerJoin(clients, eq(clients.id, subscriptions.clientId))
        .where(and(eq(subscriptions.id, id), isNull(subscriptions.deletedAt), isOwnedSubscription(ctx)))
    : []
  if (!found) throw new Problem('subscription_not_found', 'You have no subscription with this identifier.')
  return found
}

/** For what would send to a receiver that wants nothing at the moment. Throws `invalid_request`. */
export function requireEnabled({ status }: OwnedSubscription): void {
  if (status === 'enabled') return
  throw new Problem('invalid_request', 'The subscription is disabled: enable it first.')
}
