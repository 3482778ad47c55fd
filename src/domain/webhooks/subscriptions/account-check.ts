import { eq } from 'drizzle-orm'
import { clients, users } from '../../../db/schema/index.ts'
import { Problem } from '../../core/problem.ts'
import type { InTransaction } from '../../core/transaction.ts'

/**
 * Refuses to create, enable or test a subscription whose application is stopped or was just deleted, or whose user's account is closed, whether the
 * operator or its owner did that: nothing would be sent. Both rows are locked against a change until the transaction ends, so that
 * the application stays its owner's, whom this returns: null where it has none. Throws `forbidden`.
 */
export async function requireActiveAccounts(
  { db }: InTransaction,
  { clientId, userId }: { clientId: string; userId: string | null },
): Promise<{ ownerId: string | null }> {
  const [client] = await db
    .select({ disabledAt: clients.disabledAt, ownerId: clients.ownerId })
    .from(clients)
    .where(eq(clients.id, clientId))
    .for('share')
  if (!client) throw new Problem('forbidden', 'The application was just deleted: nothing would be sent.')
  if (client.disabledAt) throw new Problem('forbidden', 'The application is stopped: nothing would be sent.')
  if (userId === null) return client
  const [user] = await db.select({ disabledAt: users.disabledAt }).from(users).where(eq(users.id, userId)).for('share')
  if (user?.disabledAt) throw new Problem('forbidden', 'The account of its user is closed: nothing would be sent.')
  return client
}
