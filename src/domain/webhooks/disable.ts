import { and, eq, isNull, sql } from 'drizzle-orm'
import { webhookSubscriptions } from '../../db/schema/index.ts'
import type { InTransaction } from '../transaction.ts'

/**
 * Disables the subscriptions that an application made for a user, in the transaction that takes its last living grant
 * away. An expired token is no such loss, and a new consent enables nothing by itself.
 */
export async function disableForLostGrant(
  tx: InTransaction,
  { clientId, userId }: { clientId: string; userId: string },
): Promise<void> {
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
        eq(webhookSubscriptions.clientId, clientId),
        eq(webhookSubscriptions.userId, userId),
        eq(status, 'enabled'),
        isNull(deletedAt),
      ),
    )
  tx.afterCommit(tx.wake)
}
