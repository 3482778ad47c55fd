import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { grants } from '../../db/schema/index.ts'
import { statement } from '../../db/statement.ts'
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

const deleteOpenCodes = statement<[userId: string, clientId: string | null], never>(`
  with of_browsers as (
    delete from authorization_codes where user_id = $1 and client_id = coalesce($2, client_id) and consumed_at is null
  )
  delete from device_codes where user_id = $1 and client_id = coalesce($2, client_id) and consumed_at is null`)

/**
 * Revokes what a user has allowed, to one application or to all: its grants, and the codes of browsers and devices that are still open
 * and would be exchanged for new ones.
 */
export async function revokeConsents(
  tx: InTransaction,
  { userId, clientId }: { userId: string; clientId?: string },
  why: { reason: RevokeReason; actor: AuditActor },
): Promise<Revoked[]> {
  await deleteOpenCodes(tx.db, userId, clientId ?? null)
  const ofClient = clientId === undefined ? undefined : eq(grants.clientId, clientId)
  return revokeGrants(tx, and(eq(grants.userId, userId), ofClient), why)
}

/** Without the lock, two concurrent revocations would each still see the other's grant, and neither would disable. */
async function settleLoss(tx: InTransaction, userId: string): Promise<void> {
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`lost grants of ${userId}`}, 0))`)
  await disableForLostGrants(tx, userId)
}
