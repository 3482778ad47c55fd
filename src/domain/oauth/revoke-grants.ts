import { and, isNull, type SQL, sql } from 'drizzle-orm'
import { grants } from '../../db/schema/index.ts'
import { type AuditActor, auditAll } from '../audit/audit.ts'
import { dbNow } from '../core/db-now.ts'
import type { InTransaction } from '../core/transaction.ts'
import { disableForLostGrants } from '../webhooks/queue/lost-grants.ts'

export type RevokeReason = NonNullable<(typeof grants.$inferSelect)['revokeReason']>

type Revoked = { id: string; clientId: string; userId: string }

/**
 * Revokes the active grants that match a condition, and with them all of their tokens, since a token is valid only while
 * its grant is. Subscriptions to the events of their users which no grant covers any more are disabled. However many grants
 * there are, it takes the same few statements.
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
  await auditAll(
    tx,
    revoked.map(({ id, clientId, userId }) => {
      return { actor, action: 'grant.revoked', userId, clientId, targetId: id, details: { reason } }
    }),
  )
  for (const userId of [...new Set(revoked.map((grant) => grant.userId))].toSorted()) await settleLoss(tx, userId)
  tx.afterCommit(() => {
    for (const { id } of revoked) tx.credentials.end(id)
  })
  return revoked
}

/** Without the lock, two concurrent revocations would each still see the other's grant, and neither would disable. */
async function settleLoss(tx: InTransaction, userId: string): Promise<void> {
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`lost grants of ${userId}`}, 0))`)
  await disableForLostGrants(tx, userId)
}
