import { and, arrayContains, arrayOverlaps, asc, eq, isNull, not, type SQL } from 'drizzle-orm'
import { grants } from '../../../db/schema/index.ts'
import type { Context } from '../../core/context.ts'
import { hasPassed } from '../../core/db-now.ts'
import { isModerationType } from '../../events/types.ts'
import type { OwnedSubscription } from './ownership.ts'

/** The condition for living grants of a user that allow a subscription: webhooks, and moderation where it asks for that. */
export function isCovering({ clientId, eventTypes }: OwnedSubscription, userId: string): SQL | undefined {
  return and(
    eq(grants.userId, userId),
    eq(grants.clientId, clientId),
    isNull(grants.revokedAt),
    not(hasPassed(grants.expiresAt)),
    arrayContains(grants.scopes, ['webhook:write']),
    eventTypes.some(isModerationType)
      ? arrayOverlaps(grants.scopes, ['moderation:read', 'moderation:write'])
      : undefined,
  )
}

/**
 * Since when the user of a subscription has allowed it without a break, in milliseconds since 1970: earlier events may not
 * be sent. 0 for a subscription without a user; infinite while there is no grant.
 */
export async function allowedSince({ db }: Context, subscription: OwnedSubscription): Promise<number> {
  const { userId } = subscription
  if (userId === null) return 0
  const [oldest] = await db
    .select({ createdAt: grants.createdAt })
    .from(grants)
    .where(isCovering(subscription, userId))
    .orderBy(asc(grants.createdAt))
    .limit(1)
  return oldest?.createdAt.getTime() ?? Number.POSITIVE_INFINITY
}
