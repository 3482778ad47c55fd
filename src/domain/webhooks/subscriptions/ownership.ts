import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import { statement } from '../../../db/statement.ts'
import {
  applicationsOf,
  asViewer,
  membersWith,
  requireApplication,
  requireFactorToDevelop,
  roleWanted,
  theirApplications,
  tooLittle,
} from '../../access/ownership.ts'
import type { Principal, UserPrincipal } from '../../core/actor.ts'
import type { ActorContext, CallerContext, Wanting } from '../../core/context.ts'
import { isId } from '../../core/ids.ts'
import { Problem } from '../../core/problem.ts'
import type { InTransaction } from '../../core/transaction.ts'
import { isAllowed } from '../../events/consent.ts'
import { grantGone } from './grant-coverage.ts'

export type OwnedSubscription = Pick<
  typeof subscriptions.$inferSelect,
  'id' | 'clientId' | 'userId' | 'url' | 'eventTypes' | 'status' | 'disabledReason' | 'disabledAt' | 'createdAt'
> & {
  /** Whether its user still allows it, by a grant that lives and has the scopes; true without a user. */
  isAllowed: boolean
  /** Whose application made it. */
  ownerId: string | null
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
 * an application's token has those that it made for them; a user who is signed in has all of the applications in which they
 * are what the call wants; the operator has all.
 */
export function owns({ principal, role }: ActorContext): SQL {
  switch (principal.kind) {
    case 'application':
      return sql`(${eq(subscriptions.clientId, principal.clientId)} and ${isNull(subscriptions.userId)})`
    case 'user':
      return ownsAsUser(principal, { role })
    case 'operator':
      return sql`true`
  }
}

function ownsAsUser({ clientId, userId }: UserPrincipal, wanting: Wanting): SQL {
  if (clientId !== null) return sql`(${eq(subscriptions.clientId, clientId)} and ${eq(subscriptions.userId, userId)})`
  return sql`${subscriptions.clientId} = any (${theirApplications(userId, wanting)})`
}

/**
 * Why a caller does not reach what they asked for: `forbidden` for a member of its application who is less than the call wants,
 * `subscription_not_found` for everybody else.
 */
export async function unreached(ctx: ActorContext, id: string): Promise<Problem> {
  const { principal } = ctx
  const isMember = principal.kind === 'user' && principal.clientId === null // roles are of people, not of their tokens
  const isAskedForMore = isMember && roleWanted(ctx) !== 'viewer'
  const isReader = isAskedForMore && isId('subscription', id) && (await isReached(asViewer(ctx), id))
  return isReader
    ? tooLittle(roleWanted(ctx))
    : new Problem('subscription_not_found', 'You have no subscription with this identifier.')
}

/** For what stays open: throws `subscription_not_found` once the caller does not reach all of these any more, deleted ones included. */
export async function requireReached(ctx: ActorContext, ids: readonly string[]): Promise<void> {
  const isTheirs = and(inArray(subscriptions.id, [...ids]), reaches(ctx))
  if (ids.length === 0 || (await ctx.db.$count(subscriptions, isTheirs)) === ids.length) return
  throw new Problem('subscription_not_found', 'You do not reach these subscriptions any more.')
}

/** Whether the caller is more to a subscription than somebody who reads along. */
export const isDeveloped = (ctx: ActorContext, id: string): Promise<boolean> =>
  isReached({ ...ctx, role: 'developer' }, id)

async function isReached(ctx: ActorContext, id: string): Promise<boolean> {
  const isTheirs = and(eq(subscriptions.id, id), isNull(subscriptions.deletedAt), reaches(ctx))
  return (await ctx.db.select({ id: subscriptions.id }).from(subscriptions).where(isTheirs)).length > 0
}

/**
 * A subscription that the caller reaches and that is not deleted. Throws what `unreached` says, and `second_factor_required` for more than
 * reading where developers need one.
 */
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
          ownerId: sql<string | null>`(select owner_id from clients where clients.id = ${subscriptions.clientId})`,
        })
        .from(subscriptions)
        .where(and(eq(subscriptions.id, id), isNull(subscriptions.deletedAt), reaches(ctx)))
    : []
  if (!found) throw await unreached(ctx, id)
  requireFactorToDevelop(ctx)
  return found
}

/**
 * For what outlasts its call, asked again under the lock of the application: who was taken out meanwhile, or whose session has ended, changes
 * nothing any more. Tokens act by what they were given. Throws `not_found`, `forbidden`, `invalid_token`.
 */
export async function holdReach(tx: InTransaction<ActorContext>, { clientId }: OwnedSubscription): Promise<void> {
  const { principal } = tx
  if (principal.kind !== 'user' || principal.clientId !== null) return
  await requireApplication({ ...tx, principal }, clientId, 'no key update')
}

const findOwner = statement<
  [subscriptionId: string | null, clientId: string | null, userId: string, members: string[]],
  { owner_id: string | null }
>(`
  select owner_id from clients where id = coalesce($2, (select client_id from webhook_subscriptions where id = $1))
     and id = any (${applicationsOf('$3', '$4')})`)

/** Of the one application that somebody who is signed in asks about, if they belong to it: a stranger takes no turn of its owner's. */
export async function ownerAsked(
  ctx: ActorContext,
  {
    subscription = null,
    application_id: clientId = null,
  }: { subscription?: string | null | undefined; application_id?: string | null | undefined },
): Promise<string | null> {
  const { principal } = ctx
  if (principal.kind !== 'user' || (subscription ?? clientId) === null) return null
  const [found] = await findOwner(ctx.db, subscription, clientId, principal.userId, membersWith(roleWanted(ctx)))
  return found?.owner_id ?? null
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
