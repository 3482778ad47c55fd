import { setTimeout as after } from 'node:timers/promises'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../../db/client.ts'
import { webhookSecrets, webhookSubscriptions, webhookSubscriptionTypes } from '../../../db/schema/index.ts'
import { statement } from '../../../db/statement.ts'
import { actorBehind, audit } from '../../audit/audit.ts'
import type { Context } from '../../core/context.ts'
import { type InTransaction, transact } from '../../core/transaction.ts'
import { takeClaimLock } from '../queue/claim.ts'
import { endAttemptsOf } from '../queue/in-flight.ts'
import type { SubscriptionOwnerContext } from './ownership.ts'

/** Where every process hears of a deleted subscription. */
export const STOPPED_CHANNEL = 'webhook_stopped'

const QUIET_WITHIN_MS = 1_000
const ASK_AGAIN_MS = 10

/**
 * Marks a subscription as deleted; returns whether there was one. When it returns, no attempt begins any more: no claim is
 * half done, because it holds the claim's lock; attempts on the wire are ended here and, by NOTIFY, in other processes;
 * and it waits, for a second at most, until none is leased. A sweeper cancels what is pending.
 */
export async function stopSubscription(
  ctx: SubscriptionOwnerContext,
  id: string,
  condition: SQL | undefined,
): Promise<boolean> {
  const isFound = await transact(ctx, async (tx) => {
    const { db } = tx
    await takeClaimLock(db)
    const [stopped] = await db
      .update(webhookSubscriptions)
      .set({ deletedAt: sql`statement_timestamp()`, updatedAt: sql`statement_timestamp()` })
      .where(and(eq(webhookSubscriptions.id, id), condition))
      .returning({ clientId: webhookSubscriptions.clientId, userId: webhookSubscriptions.userId })
    if (!stopped) return false
    await db.delete(webhookSubscriptionTypes).where(eq(webhookSubscriptionTypes.subscriptionId, id))
    await db.delete(webhookSecrets).where(eq(webhookSecrets.subscriptionId, id))
    await announceStop(db, id)
    const actor = actorBehind(ctx.principal)
    await audit(tx, { actor, action: 'signing_secret.revoked', ...stopped, targetId: id })
    return true
  })
  if (!isFound) return false
  endAttemptsOf(id)
  await untilQuiet(ctx, id)
  return true
}

/**
 * The same for subscriptions whose rows this transaction has deleted, with their application, whose entry in the security
 * log speaks for their secrets, too. To be called last: a claim that is under way is waited for, and all others wait from
 * here to the commit.
 */
export async function announceDeleted(tx: InTransaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await takeClaimLock(tx.db)
  for (const id of ids) await announceStop(tx.db, id)
  tx.afterCommit(() => {
    for (const id of ids) endAttemptsOf(id)
  })
}

/** All that an application ever had, deleted ones too. */
export async function subscriptionsOf({ db }: InTransaction, clientId: string): Promise<string[]> {
  const { id } = webhookSubscriptions
  const found = await db.select({ id }).from(webhookSubscriptions).where(eq(webhookSubscriptions.clientId, clientId))
  return found.map((one) => one.id)
}

/** Inside the transaction for once: a deletion is rare, and it must not be heard of before it is true. */
const announceStop = (db: Database, id: string) => db.execute(sql`select pg_notify(${STOPPED_CHANNEL}, ${id})`)

const selectLeased = statement<[subscriptionId: string], { is_leased: boolean }>(`
select exists (
  select from webhook_deliveries where subscription_id = $1 and lease is not null and due_at > statement_timestamp()
) as is_leased`)

/** Attempts of other processes end a moment later; those of a dead process begin nothing any more. */
async function untilQuiet({ db }: Context, id: string): Promise<void> {
  const until = performance.now() + QUIET_WITHIN_MS
  while ((await selectLeased(db, id))[0]?.is_leased && performance.now() < until) await after(ASK_AGAIN_MS)
}
