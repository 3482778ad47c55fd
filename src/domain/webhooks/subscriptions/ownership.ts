import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { clients, webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import type { Principal, UserPrincipal } from '../../core/actor.ts'
import type { ActorContext, CallerContext } from '../../core/context.ts'
import { isId } from '../../core/ids.ts'
import { Problem } from '../../core/problem.ts'
import { isAllowed } from '../../events/consent.ts'
import { grantGone } from './grant-coverage.ts'

export type OwnedSubscription = Pick<
  typeof subscriptions.$inferSelect,
  'id' | 'clientId' | 'userId' | 'url' | 'eventTypes' | 'status' | 'disabledReason' | 'disabledAt' | 'createdAt'
> & {
  /** Whether its user still allows it, by a grant that lives and has the scopes; true without a user. */
  isAllowed: boolean
}

/**
 * The condition under which a caller reaches a subscription at /trpc: those that are theirs, and of an application also those
 * that it made for its users.
 */
export function reaches(ctx: ActorContext): SQL {
  const { principal } = ctx
  return principal.kind === 'application' ? eq(subscriptions.clientId, principal.clientId) : owns(ctx)
}

/**
 * The condition under which a subscription is the caller's. An application has those that it made for itself; a user by
 * an application's token has those that it made for them; a user who is signed in has all of the applications that they
 * own; the operator has all.
 */
export function owns({ principal }: ActorContext): SQL {
  switch (principal.kind) {
    case 'application':
      return sql`(${eq(subscriptions.clientId, principal.clientId)} and ${isNull(subscriptions.userId)})`
    case 'user':
      return ownsAsUser(principal)
    case 'operator':
      return sql`true`
  }
}

function ownsAsUser({ clientId, userId }: UserPrincipal): SQL {
  if (clientId !== null) return sql`(${eq(subscriptions.clientId, clientId)} and ${eq(subscriptions.userId, userId)})`
  return sql`${subscriptions.clientId} in (select ${clients.id} from ${clients} where ${eq(clients.ownerId, userId)})`
}

/** A subscription that the caller reaches and that is not deleted. Throws `subscription_not_found`. */
export async function requireSubscription(ctx: ActorContext, id: string): Promise<OwnedSubscription> {
  const [found] = isId('subscription', id)
    ? await ctx.db
        .select({
          id: subscriptions.id,
          clientId: subscriptions.clientId,
          userId: subscriptions.userId,
          url: subscriptions.url,
          eventTypes: subscriptions.eventTypes,
          status: subscriptions.status,
          disabledReason: subscriptions.disabledReason,
          disabledAt: subscriptions.disabledAt,
          createdAt: subscriptions.createdAt,
          isAllowed: sql<boolean>`${sql.raw(isAllowed('webhook_subscriptions'))}`,
        })
        .from(subscriptions)
        .where(and(eq(subscriptions.id, id), isNull(subscriptions.deletedAt), reaches(ctx)))
    : []
  if (!found) throw new Problem('subscription_not_found', 'You have no subscription with this identifier.')
  return found
}

/**
 * For what sends events again. Throws `forbidden` once the user does not allow it any more, and `invalid_request` while the
 * subscription is disabled.
 */
export function requireHearing({ status, isAllowed: isStillAllowed }: OwnedSubscription): void {
  if (!isStillAllowed) throw grantGone()
  if (status !== 'enabled') throw new Problem('invalid_request', 'The subscription is disabled: enable it first.')
}

/**
 * The application that a credential belongs to, and the user that it stands for, if any. Throws `forbidden` for a login
 * session, which belongs to no application.
 */
export function applicationOf(principal: Principal): { clientId: string; userId: string | null } {
  if (principal.kind === 'application') return { clientId: principal.clientId, userId: null }
  const { clientId, userId } = principal
  if (clientId !== null) return { clientId, userId }
  throw new Problem('forbidden', 'Subscriptions belong to applications: use a token or a key of one.')
}

/** The context of a caller who has a credential of an application. Throws `forbidden` for a login session. */
export function byApplication(ctx: CallerContext): CallerContext {
  applicationOf(ctx.principal)
  return ctx
}
