import { and, asc, count, eq, gt, isNull, sql } from 'drizzle-orm'
import { webhookSubscriptions as subscriptions, webhookSubscriptionTypes as types } from '../../../db/schema/index.ts'
import { type AuditActor, actorBehind, audit } from '../../audit/audit.ts'
import type { Principal } from '../../core/actor.ts'
import type { CallerContext } from '../../core/context.ts'
import { isId, newId } from '../../core/ids.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from '../../core/paging.ts'
import { Problem } from '../../core/problem.ts'
import type { CreatedSubscription, Subscription } from '../../core/resources.ts'
import { type InTransaction, transact } from '../../core/transaction.ts'
import { createGuard } from '../http/target-policy.ts'
import { checkTargetUrl } from '../http/target-url.ts'
import { keepNewSecret } from '../secrets/secrets.ts'
import { requireGoodStanding } from './account-check.ts'
import { stopSubscription } from './delete.ts'
import { requireEventTypes } from './event-types.ts'

export type NewSubscription = { url: string; event_types: readonly string[]; description?: string | null | undefined }

const SUBSCRIPTIONS_MAX = 100
const EVERY_CHANNEL = '*'
const LIST = 'subscriptions'

const columns = {
  id: subscriptions.id,
  url: subscriptions.url,
  event_types: subscriptions.eventTypes,
  description: subscriptions.description,
  status: subscriptions.status,
  created_at: subscriptions.createdAt,
}

/**
 * Subscribes a receiver to events: of the user's channel with a user's token, of every channel with an application's. The
 * secret is shown here and never again. Throws `invalid_url`, `unknown_event_type`, `user_token_required`,
 * `insufficient_scope`, `limit_reached`, `forbidden` for a stopped application.
 */
export async function createSubscription(
  ctx: CallerContext,
  input: NewSubscription,
  actor: AuditActor = actorBehind(ctx.principal),
): Promise<CreatedSubscription> {
  const { clientId, userId } = ownerOf(ctx.principal)
  const { url } = input
  checkTargetUrl(createGuard(ctx.targets), url)
  const eventTypes = requireEventTypes(ctx.principal, input.event_types)
  return transact(ctx, async (tx) => {
    await requireGoodStanding(tx, { clientId, userId })
    await requireRoom(tx, clientId)
    const createdAt = tx.now()
    const id = newId('subscription', createdAt)
    const description = input.description || null
    const row = { id, clientId, userId, url, eventTypes, description, createdAt, updatedAt: createdAt }
    await tx.db.insert(subscriptions).values(row)
    const channelId = userId ?? EVERY_CHANNEL
    await tx.db.insert(types).values(eventTypes.map((type) => ({ type, channelId, subscriptionId: id })))
    await audit(tx, { actor, action: 'signing_secret.created', userId, clientId, targetId: id })
    const shown = { id, url, event_types: eventTypes, description, status: 'enabled' as const }
    return { ...shown, created_at: createdAt.toISOString(), signing_secret: await keepNewSecret(tx, id) }
  })
}

/** The caller's own, oldest first: an application's, or a user's at an application. */
export async function listSubscriptions(
  ctx: CallerContext,
  { limit, cursor }: PageRequest,
): Promise<Page<Subscription>> {
  const [after = ''] = decodeCursor(ctx, LIST, cursor) ?? []
  const rows = await ctx.db
    .select(columns)
    .from(subscriptions)
    .where(and(isTheirs(ctx.principal), gt(subscriptions.id, after)))
    .orderBy(asc(subscriptions.id))
    .limit(limit + 1)
  const shown = rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }))
  return toPage(ctx, LIST, shown, limit, ({ id }) => [id])
}

/** Deletes one of the caller's own. When it returns, no attempt begins any more. Throws `subscription_not_found`. */
export async function deleteSubscription(ctx: CallerContext, id: string): Promise<void> {
  const isFound = isId('subscription', id) && (await stopSubscription(ctx, id, isTheirs(ctx.principal)))
  if (!isFound) throw new Problem('subscription_not_found', 'There is no subscription with this identifier.')
}

/** Whose a subscription is. A login session stands for a user but for no application, and so for no subscription. */
function ownerOf(principal: Principal): { clientId: string; userId: string | null } {
  if (principal.kind === 'application') return { clientId: principal.clientId, userId: null }
  const { clientId, userId } = principal
  if (clientId !== null) return { clientId, userId }
  throw new Problem('forbidden', 'Subscriptions belong to applications: use a token or a key of one.')
}

function isTheirs(principal: Principal) {
  const { clientId, userId } = ownerOf(principal)
  const isOfUser = userId === null ? isNull(subscriptions.userId) : eq(subscriptions.userId, userId)
  return and(eq(subscriptions.clientId, clientId), isOfUser, isNull(subscriptions.deletedAt))
}

/** The lock makes creations at once see each other: without it 130 of them make 130. */
async function requireRoom({ db }: InTransaction, clientId: string) {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`webhook subscriptions ${clientId}`}, 0))`)
  const [found] = await db
    .select({ made: count() })
    .from(subscriptions)
    .where(and(eq(subscriptions.clientId, clientId), isNull(subscriptions.deletedAt)))
  if (!found || found.made < SUBSCRIPTIONS_MAX) return
  throw new Problem('limit_reached', `An application has at most ${SUBSCRIPTIONS_MAX} subscriptions.`)
}
