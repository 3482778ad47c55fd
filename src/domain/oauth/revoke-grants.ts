import { and, eq, isNull, not, type SQL, sql } from 'drizzle-orm'
import { grants } from '../../db/schema/index.ts'
import { type AuditActor, audit } from '../audit/audit.ts'
import { dbNow, hasPassed } from '../core/db-now.ts'
import type { InTransaction } from '../core/transaction.ts'
import { disableForLostGrant } from '../webhooks/subscriptions/disable.ts'

export type RevokeReason = NonNullable<(typeof grants.$inferSelect)['revokeReason']>

type Revoked = { id: string; clientId: string; userId: string }

/**
 * Revokes the active grants that match a condition, and with them all of their tokens, since a token is valid only while
 * its grant is. When a user has no grant left for a client, the client's subscriptions to that user's events are disabled.
 */
export async function revokeGrants(
  tx: InTransaction,
  condition: SQL | undefined,
  { reason, actor }: { reason: RevokeReason; actor: AuditActor },
): Promise<Revoked[]> {
  const revoked = await tx.db
    .update(grants)
    .set({ revokedAt: dbNow, revokeReason: reason })
    .where(and(condition, isNull(grants.revokedAt)))
    .returning({ id: grants.id, clientId: grants.clientId, userId: grants.userId })
  for (const { id, clientId, userId } of revoked) {
    await audit(tx, { actor, action: 'grant.revoked', userId, clientId, targetId: id, details: { reason } })
  }
  for (const pair of pairsOf(revoked)) await settleLoss(tx, pair)
  tx.afterCommit(tx.credentials.forget)
  return revoked
}

type Pair = { clientId: string; userId: string }

/** Sorted, because each pair is locked until the commit, and two transactions must not lock them in different orders. */
function pairsOf(revoked: readonly Revoked[]): Pair[] {
  const pairs = new Map(revoked.map(({ clientId, userId }) => [`${clientId} ${userId}`, { clientId, userId }]))
  return [...pairs].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, pair]) => pair)
}

/** Without the lock, two concurrent revocations would each still see the other's grant, and neither would disable. */
async function settleLoss(tx: InTransaction, { clientId, userId }: Pair): Promise<void> {
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`lost grant ${clientId} ${userId}`}, 0))`)
  const isTheirs = and(eq(grants.userId, userId), eq(grants.clientId, clientId), isNull(grants.revokedAt))
  const [living] = await tx.db
    .select({ id: grants.id })
    .from(grants)
    .where(and(isTheirs, not(hasPassed(grants.expiresAt))))
    .limit(1)
  if (!living) await disableForLostGrant(tx, { clientId, userId })
}
