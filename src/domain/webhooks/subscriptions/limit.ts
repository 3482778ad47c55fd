import { and, count, eq, isNull, sql } from 'drizzle-orm'
import { webhookSubscriptions as subscriptions } from '../../../db/schema/index.ts'
import { Problem } from '../../core/problem.ts'
import type { InTransaction } from '../../core/transaction.ts'

const OF_APPLICATION_MAX = 100
const OF_USER_MAX = 20

/**
 * Throws `limit_reached` when an application has no room for one more of its own, or one more of this user: what one user
 * makes takes no room of another. Disabled ones count; those that lost their grant do not, until they are enabled again.
 */
export async function requireRoom(
  { db }: InTransaction,
  { clientId, userId }: { clientId: string; userId: string | null },
): Promise<void> {
  // The lock makes concurrent creations see each other: without it, 130 at once would all be made
  const lock = `webhook subscriptions ${clientId} ${userId ?? ''}`
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`)
  const [found] = await db
    .select({ used: count() })
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.clientId, clientId),
        userId === null ? isNull(subscriptions.userId) : eq(subscriptions.userId, userId),
        isNull(subscriptions.deletedAt),
        sql`${subscriptions.disabledReason} is distinct from 'grant_lost'`,
      ),
    )
  const used = found?.used ?? 0
  const [max, whose] =
    userId === null
      ? [OF_APPLICATION_MAX, `An application has at most ${OF_APPLICATION_MAX} subscriptions of its own`]
      : [OF_USER_MAX, `An application has at most ${OF_USER_MAX} subscriptions for each of its users`]
  if (used >= max) throw new Problem('limit_reached', `${whose}; ${used} are used: delete one that is not needed.`)
}
