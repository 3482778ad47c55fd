import { eq } from 'drizzle-orm'
import { clients, users } from '../../../db/schema/index.ts'
import { Problem } from '../../core/problem.ts'
import type { InTransaction } from '../../core/transaction.ts'

/**
 * An operator may have stopped the application, or closed the account that a subscription is about: then nothing is sent, and
 * nobody can turn it on. Both stay as they are until the transaction ends. Throws `forbidden`.
 */
export async function requireGoodStanding(
  { db }: InTransaction,
  { clientId, userId }: { clientId: string; userId: string | null },
): Promise<void> {
  const [client] = await db
    .select({ at: clients.disabledAt })
    .from(clients)
    .where(eq(clients.id, clientId))
    .for('share')
  if (client?.at) throw new Problem('forbidden', 'The application has been stopped by the operator of this service.')
  if (userId === null) return
  const [user] = await db.select({ at: users.disabledAt }).from(users).where(eq(users.id, userId)).for('share')
  if (user?.at) throw new Problem('forbidden', 'The account has been closed by the operator of this service.')
}
