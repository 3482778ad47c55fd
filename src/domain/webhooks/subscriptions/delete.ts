import { setTimeout as after } from 'node:timers/promises'
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../db/client.ts'
import {
  webhookSecrets as secrets,
  webhookSubscriptions as subscriptions,
  webhookSubscriptionTypes as types,
} from '../../../db/schema/index.ts'
import { statement } from '../../../db/statement.ts'
import { requireFactorToDevelop } from '../../access/ownership.ts'
import { actorBehind, audit, auditAll } from '../../audit/audit.ts'
import type { ActorContext, Context, UserContext } from '../../core/context.ts'
import { dbNow } from '../../core/db-now.ts'
import { isId } from '../../core/ids.ts'
import { Problem } from '../../core/problem.ts'
import { type InTransaction, transact } from '../../core/transaction.ts'
import { takeClaimLock } from '../queue/claim.ts'
import { endAttemptsOf } from '../queue/in-flight.ts'
import { owns, reaches, unreached } from './ownership.ts'

/** The NOTIFY channel on which every process hears of a deleted subscription. */
export const STOPPED_CHANNEL = 'webhook_stopped'

const WAIT_MS_MAX = 1_000
const ASK_AGAIN_MS = 10

/**
 * Deletes one of the caller's subscriptions. Once it returns, no attempt begins any more: it holds the lock of claims, so
 * no claim is half done; it ends the attempts that are on their way, here and, by NOTIFY, in other processes; and it waits
 * until no delivery is leased, for a second at most. A sweeper cancels what is pending. Throws `subscription_not_found`.
 */
export async function deleteSubscription(ctx: ActorContext, { id }: { id: string }): Promise<void> {
  if (!(await endSubscription(ctx, id, owns(ctx)))) throw await unreached(ctx, id)
}

/** The same for any subscription that the caller reaches, as an application does those of its users. Throws `subscription_not_found`. */
export async function deleteReachedSubscription(ctx: ActorContext, { id }: { id: string }): Promise<void> {
  requireFactorToDevelop(ctx)
  if (!(await endSubscription(ctx, id, reaches(ctx)))) throw await unreached(ctx, id)
}

/**
 * The same for a subscription of whichever application that hears the channel of the caller, whose events it gets. The
 * application may make another one for as long as it has access. Throws `subscription_not_found`.
 */
export async function deleteHearingSubscription(ctx: UserContext, { id }: { id: string }): Promise<void> {
  if (await endSubscription(ctx, id, eq(subscriptions.userId, ctx.principal.userId))) return
  throw new Problem('subscription_not_found', 'There is no subscription with this identifier.')
}

/** False when there is no such subscription. */
async function endSubscription(ctx: ActorContext, id: string, isTheirs: SQL): Promise<boolean> {
  const isFound = isId('subscription', id) && (await markDeleted(ctx, id, isTheirs))
  if (!isFound) return false
  endAttemptsOf(id)
  await waitWhileLeased(ctx, id)
  return true
}

async function markDeleted(ctx: ActorContext, id: string, isTheirs: SQL): Promise<boolean> {
  return transact(ctx, async (tx) => {
    const { db } = tx
    await takeClaimLock(db)
    const [deleted] = await db
      .update(subscriptions)
      .set({ deletedAt: dbNow, updatedAt: dbNow })
      .where(and(eq(subscriptions.id, id), isNull(subscriptions.deletedAt), isTheirs))
      .returning({ clientId: subscriptions.clientId, userId: subscriptions.userId })
    if (!deleted) return false
    await db.delete(types).where(eq(types.subscriptionId, id))
    await db.delete(secrets).where(eq(secrets.subscriptionId, id))
    await notifyStopped(db, id)
    const actor = actorBehind(ctx.principal)
    await audit(tx, { actor, action: 'signing_secret.revoked', ...deleted, targetId: id })
    return true
  })
}

/**
 * Stops the attempts of subscriptions whose rows this transaction has deleted together with their application, whose entry
 * in the audit log covers their secrets, too. Call it last: it waits for a claim that is under way, and all other claims
 * wait from here to the commit.
 */
export async function announceDeleted(tx: InTransaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await takeClaimLock(tx.db)
  for (const id of ids) await notifyStopped(tx.db, id)
  tx.afterCommit(() => {
    for (const id of ids) endAttemptsOf(id)
  })
}

/** SQL: when a subscription `s` was made, sent elsewhere, or got the signing secret that whoever gave it knows, whichever was last. */
export const LAST_TURNED = `greatest(s.created_at, s.url_changed_at,
    (select max(created_at) from webhook_secrets where subscription_id = s.id))`

/** Of an owner's applications, by itself or about the owner: what others let them hear is left. */
const recentOf = (theirs: string) => `
  select s.id from clients c join webhook_subscriptions s on s.client_id = c.id
   where c.owner_id = $1 and s.user_id ${theirs} and s.deleted_at is null and ${LAST_TURNED} > $2::timestamptz`
/** SQL: the subscriptions of the applications of the owner `$1` that were made, sent elsewhere or given a secret since `$2`. */
export const RECENT_SUBSCRIPTIONS = `${recentOf('is null')} union all ${recentOf('= $1')}`

type DeletedRow = { id: string; client_id: string; user_id: string | null }
const deleteRecent = statement<[ownerId: string, since: Date], DeletedRow>(`
  with recent as materialized (
    select id from webhook_subscriptions where id in (${RECENT_SUBSCRIPTIONS}) order by id for update
  ), types as (
    delete from webhook_subscription_types t using recent where t.subscription_id = recent.id
  ), secrets as (
    delete from webhook_secrets w using recent where w.subscription_id = recent.id
  )
  update webhook_subscriptions s set deleted_at = statement_timestamp(), updated_at = statement_timestamp()
    from recent where s.id = recent.id returning s.id, s.client_id, s.user_id`)

/** Deletes those, as `deleteSubscription` does but for the wait for attempts, which end with the commit. Call it last, as `announceDeleted`. */
export async function deleteRecentSubscriptions(
  tx: InTransaction<Context>,
  ownerId: string,
  since: Date,
): Promise<void> {
  const deleted = await deleteRecent(tx.db, ownerId, since)
  const entry = { actor: { type: 'user', id: ownerId }, action: 'signing_secret.revoked' } as const
  await auditAll(
    tx,
    deleted.map(({ id, client_id: clientId, user_id: userId }) => ({ ...entry, clientId, userId, targetId: id })),
  )
  await announceDeleted(
    tx,
    deleted.map(({ id }) => id),
  )
}

/** All that an application ever had, including deleted ones. */
export async function subscriptionsOf({ db }: InTransaction, clientId: string): Promise<string[]> {
  const { id } = subscriptions
  const found = await db.select({ id }).from(subscriptions).where(eq(subscriptions.clientId, clientId))
  return found.map((one) => one.id)
}

/** NOTIFY inside the transaction, unlike for events: deletions are rare, and nobody may hear of one that is rolled back. */
const notifyStopped = (db: Database, id: string) => db.execute(sql`select pg_notify(${STOPPED_CHANNEL}, ${id})`)

const selectLeased = statement<[subscriptionId: string], { is_leased: boolean }>(`
select exists (
  select from webhook_deliveries where subscription_id = $1 and lease is not null and due_at > statement_timestamp()
) as is_leased`)

/** Attempts of other processes end a moment later; a process that died sends nothing more. */
async function waitWhileLeased({ db }: Context, id: string): Promise<void> {
  const until = performance.now() + WAIT_MS_MAX
  while ((await selectLeased(db, id))[0]?.is_leased && performance.now() < until) await after(ASK_AGAIN_MS)
}
