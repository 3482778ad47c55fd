import { webhookSubscriptions as subscriptions, webhookSubscriptionTypes as types } from '../../../db/schema/index.ts'
import { requireApplication } from '../../access/ownership.ts'
import { type AuditActor, actorBehind, audit } from '../../audit/audit.ts'
import type { CallerContext, UserContext } from '../../core/context.ts'
import { newId } from '../../core/ids.ts'
import { EVERY_CHANNEL } from '../../core/live.ts'
import { Problem } from '../../core/problem.ts'
import type { CreatedSubscription } from '../../core/resources.ts'
import { isScope } from '../../core/scopes.ts'
import { transactInTurn } from '../../core/turns/transact-in-turn.ts'
import { compileTargetPolicy } from '../http/target-policy.ts'
import { checkNewTargetUrl } from '../http/target-url.ts'
import { storeNewSecret } from '../secrets/secrets.ts'
import { requireActiveAccounts } from './account-check.ts'
import { requireEventTypes } from './event-types.ts'
import { requireRoom } from './limit.ts'
import { allowIfNeeded } from './own-consent.ts'
import { applicationOf } from './ownership.ts'

type NewSubscription = { url: string; event_types: readonly string[]; description?: string | null | undefined }

/**
 * Subscribes a receiver to events: of the user's channel with a user's token, of every channel with an application's. The
 * secret is shown here and never again. Throws `invalid_url`, `unknown_event_type`, `user_token_required`,
 * `insufficient_scope`, `limit_reached`, `forbidden` for a stopped application and for a login session, and what `transactInTurn` throws.
 */
export async function createSubscription(
  ctx: CallerContext,
  input: NewSubscription,
  actor: AuditActor = actorBehind(ctx.principal),
): Promise<CreatedSubscription> {
  const { clientId, userId } = applicationOf(ctx.principal)
  const url = checkNewTargetUrl(compileTargetPolicy(ctx.targets), input.url)
  const eventTypes = requireEventTypes(ctx.principal, input.event_types)
  return transactInTurn(ctx, async (tx) => {
    const { ownerId } = await requireActiveAccounts(tx, { clientId, userId })
    await requireRoom(tx, { clientId, userId, ownerId })
    const createdAt = tx.now()
    const id = newId('subscription', createdAt)
    const description = input.description || null
    const row = { id, clientId, userId, url, eventTypes, description, createdAt, updatedAt: createdAt }
    await tx.db.insert(subscriptions).values(row)
    const channelId = userId ?? EVERY_CHANNEL
    await tx.db.insert(types).values(eventTypes.map((type) => ({ type, channelId, subscriptionId: id })))
    await audit(tx, { actor, action: 'signing_secret.created', userId, clientId, targetId: id })
    const shown = { id, url, event_types: eventTypes, description, status: 'enabled' as const }
    return { ...shown, created_at: createdAt.toISOString(), signing_secret: await storeNewSecret(tx, id) }
  })
}

/** Whose events: those of every channel, or of the channel of who asks. */
export const heardChannels = ['every', 'own'] as const
type NewOwned = NewSubscription & { application_id: string; channel?: (typeof heardChannels)[number] | undefined }

/**
 * Subscribes an application that the caller owns, to events of every channel, as it could do itself with a key, or to those of the
 * caller's own channel, which this allows it by a grant, like any consent. Whether they may is asked under the lock of the application. Throws `not_found`, `invalid_scope` when it is not
 * registered for webhooks, and what `createSubscription` throws.
 */
export async function createSubscriptionForApplication(
  ctx: UserContext,
  { application_id: clientId, channel = 'every', ...subscription }: NewOwned,
): Promise<CreatedSubscription> {
  const actor = actorBehind(ctx.principal)
  return transactInTurn(ctx, async (tx) => {
    const application = await requireApplication(tx, clientId, 'no key update')
    const scopes = application.scopes.filter(isScope)
    if (!scopes.includes('webhook:write')) {
      throw new Problem('invalid_scope', 'application_id: this application is not registered for "webhook:write".')
    }
    if (channel === 'every') {
      const asApplication = { ...tx, principal: { kind: 'application', clientId, scopes } } as const
      return createSubscription(asApplication, subscription, actor)
    }
    const asUser = { ...tx, principal: { ...ctx.principal, clientId, scopes } }
    const created = await createSubscription(asUser, subscription, actor)
    await allowIfNeeded(tx, { id: created.id, clientId, eventTypes: created.event_types, registered: scopes })
    return created
  })
}
