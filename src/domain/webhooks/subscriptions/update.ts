import { and, eq, isNull, notInArray } from 'drizzle-orm'
import { webhookSubscriptions as subscriptions, webhookSubscriptionTypes as types } from '../../../db/schema/index.ts'
import { requireStepUp } from '../../access/admission.ts'
import { requireApplication } from '../../access/ownership.ts'
import { actorBehind, audit } from '../../audit/audit.ts'
import type { CallerContext } from '../../core/context.ts'
import { dbNow } from '../../core/db-now.ts'
import { EVERY_CHANNEL } from '../../core/live.ts'
import { Problem } from '../../core/problem.ts'
import { isScope } from '../../core/scopes.ts'
import { type InTransaction, transact } from '../../core/transaction.ts'
import { isModerationType } from '../../events/types.ts'
import { compileTargetPolicy } from '../http/target-policy.ts'
import { checkNewTargetUrl } from '../http/target-url.ts'
import { requireEventTypes } from './event-types.ts'
import { getSubscription } from './get.ts'
import { lockGrants, requireGrant } from './grant-coverage.ts'
import { allowIfNeeded } from './own-consent.ts'
import { holdReach, type OwnedSubscription, requireSubscription } from './ownership.ts'
import type { SubscriptionDetails } from './resources.ts'

/** What is left out stays as it is; a description that is null or empty is taken away. */
type SubscriptionChange = {
  id: string
  url?: string | undefined
  event_types?: readonly string[] | undefined
  description?: string | null | undefined
}
type Fields = Partial<Pick<typeof subscriptions.$inferSelect, 'url' | 'eventTypes' | 'description'>>
type Current = Required<Fields>

/** What is known about a receiver is known about its address: at another one there is another receiver. */
const unknownReceiver = {
  sendWindow: 8,
  consecutiveFailures: 0,
  firstFailureAt: null,
  failedAttempts: 0,
  openUntil: null,
  openForS: 0,
  attemptMs: null,
} as const

/**
 * Changes where a subscription sends, what, and how it is called. Its secrets, its ledger, its status and what is pending stay: that
 * goes to the new address from its next attempt on. What is so already is no change, and moves no time. An application changes its own; those of
 * its users are changed with their tokens, or by who develops it and is signed in: whoever has it hear more of their own channel
 * allows that by it. Throws `subscription_not_found`, `user_token_required`,
 * `invalid_url`, `unknown_event_type`, `insufficient_scope`, `forbidden` for events of moderation that the user has not allowed, and
 * `step_up_required` where a session that was left open would have something sent elsewhere, or something else sent.
 */
export async function updateSubscription(ctx: CallerContext, change: SubscriptionChange): Promise<SubscriptionDetails> {
  const { id } = change
  const subscription = await requireSubscription(ctx, id)
  requireSpeaksFor(ctx, subscription)
  await transact(ctx, async (tx) => {
    await holdReach(tx, subscription)
    const requireConsent = await lockConsent(tx, subscription, change)
    const current = await lockSubscription(tx, id)
    const fields = changedFields(ctx, subscription, current, change)
    const changed = Object.keys(fields).map((name) => wireNames[name as keyof Fields])
    if (changed.length === 0) return
    if (fields.url !== undefined || fields.eventTypes !== undefined) requireStepUp(ctx.principal)
    await tx.db
      .update(subscriptions)
      .set({
        ...fields,
        ...(fields.url && { ...unknownReceiver, restedAt: dbNow, urlChangedAt: dbNow }),
        updatedAt: dbNow,
      })
      .where(eq(subscriptions.id, id))
    if (fields.eventTypes) await replaceTypes(tx, subscription, fields.eventTypes)
    if (fields.eventTypes) await requireConsent(fields.eventTypes)
    const { clientId, userId } = subscription
    const actor = actorBehind(ctx.principal)
    await audit(tx, { actor, action: 'subscription.updated', userId, clientId, targetId: id, details: { changed } })
    tx.afterCommit(tx.wake)
  })
  return getSubscription(ctx, { id })
}

const wireNames = { url: 'url', eventTypes: 'event_types', description: 'description' } as const

/** An application sees what its users' subscriptions do, and ends them; what it may hear of a user is for the user to say. */
function requireSpeaksFor({ principal }: CallerContext, { userId }: OwnedSubscription): void {
  if (principal.kind === 'user' || userId === null) return
  throw new Problem('user_token_required', 'This subscription stands for a user: change it with a token of that user.')
}

async function lockSubscription({ db }: InTransaction, id: string): Promise<Current> {
  const { url, eventTypes, description } = subscriptions
  const [found] = await db
    .select({ url, eventTypes, description })
    .from(subscriptions)
    .where(and(eq(subscriptions.id, id), isNull(subscriptions.deletedAt)))
    .for('no key update')
  if (!found) throw new Problem('subscription_not_found', 'The subscription was just deleted.')
  return found
}

/** What is asked for and differs. An address that is kept is not judged again: it may have been allowed once. */
function changedFields(
  ctx: CallerContext,
  subscription: OwnedSubscription,
  current: Current,
  change: SubscriptionChange,
): Fields {
  const asked: Fields = {
    ...(change.url !== undefined && { url: urlOf(ctx, current, change.url) }),
    ...(change.event_types !== undefined && { eventTypes: typesOf(ctx, subscription, change.event_types) }),
    ...(change.description !== undefined && { description: change.description || null }),
  }
  const differing = Object.entries(asked).filter(([name, value]) => !isSame(value, current[name as keyof Current]))
  return Object.fromEntries(differing)
}

function urlOf({ targets }: CallerContext, current: Current, url: string): string {
  return url === current.url ? url : checkNewTargetUrl(compileTargetPolicy(targets), url)
}

function typesOf({ principal }: CallerContext, { userId }: OwnedSubscription, asked: readonly string[]): string[] {
  const found = requireEventTypes(principal, asked)
  if (userId !== null || !found.some(isModerationType)) return found
  throw new Problem(
    'user_token_required',
    'event_types: moderation events are for a subscription that stands for a user, and this one hears every channel.',
  )
}

/** Types are a set: their order says nothing. */
function isSame(one: Current[keyof Current], other: Current[keyof Current]): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other
  return one.length === other.length && one.every((type) => other.includes(type))
}

async function replaceTypes(tx: InTransaction, subscription: OwnedSubscription, wanted: string[]): Promise<void> {
  const { id: subscriptionId, userId } = subscription
  const channelId = userId ?? EVERY_CHANNEL
  await tx.db.delete(types).where(and(eq(types.subscriptionId, subscriptionId), notInArray(types.type, wanted)))
  await tx.db
    .insert(types)
    .values(wanted.map((type) => ({ type, channelId, subscriptionId })))
    .onConflictDoNothing()
}

/**
 * What asks for the consent to hear of moderation, which whoever it is about, signed in, gives by asking for it. Locks the grants before
 * the subscription, in the order of whoever ends them.
 */
async function lockConsent(
  tx: InTransaction<CallerContext>,
  subscription: OwnedSubscription,
  { event_types: asked = [] }: SubscriptionChange,
): Promise<(eventTypes: readonly string[]) => Promise<void>> {
  if (!asked.some(isModerationType)) return async () => {}
  await lockGrants(tx, subscription)
  return async (eventTypes) => {
    await allowOwn(tx, subscription, eventTypes)
    await requireGrant(tx, subscription, notAllowed)
  }
}

/** Nobody else can allow it, whatever they are in the application. */
async function allowOwn(
  tx: InTransaction<CallerContext>,
  { id, clientId, userId }: OwnedSubscription,
  eventTypes: readonly string[],
): Promise<void> {
  const { principal } = tx
  if (principal.kind !== 'user' || principal.clientId !== null || principal.userId !== userId) return
  const asThemselves = { ...tx, principal }
  const { scopes } = await requireApplication(asThemselves, clientId)
  await allowIfNeeded(asThemselves, { id, clientId, eventTypes, registered: scopes.filter(isScope) })
}

const notAllowed = () =>
  new Problem(
    'forbidden',
    'event_types: the user has not allowed the application to hear of moderation: they have to consent to "moderation:read" first.',
  )
