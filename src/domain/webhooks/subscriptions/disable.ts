import { and, eq, isNull, sql } from 'drizzle-orm'
import { webhookSubscriptions } from '../../../db/schema/index.ts'
import type { InTransaction } from '../../core/transaction.ts'

/** Of an application for a user, of an application, or about a user. */
type Whose = { clientId: string; userId?: string } | { clientId?: string; userId: string }

/**
 * Disables subscriptions in the transaction that takes what they rest on away: the last living grant, the application, or
 * the user. An expired token is no such loss, and a new consent enables nothing by itself.
 */
export async function disableForLostGrant(tx: InTransaction, { clientId, userId }: Whose): Promise<void> {
  const { status, deletedAt } = webhookSubscriptions
  await tx.db
    .update(webhookSubscriptions)
    .set({
      status: 'disabled',
      disabledReason: 'grant_lost',
      disabledAt: sql`statement_timestamp()`,
      updatedAt: sql`statement_timestamp()`,
    })
    .where(
      and(
        clientId === undefined ? undefined : eq(webhookSubscriptions.clientId, clientId),
        userId === undefined ? undefined : eq(webhookSubscriptions.userId, userId),
        eq(status, 'enabled'),
        isNull(deletedAt),
      ),
    )
  tx.afterCommit(tx.wake)
}
