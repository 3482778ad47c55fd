import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import type { InTransaction } from '../../core/transaction.ts'
import { covers } from '../../events/consent.ts'

type AboutUser = { id: string; userId: string | null }

const coveringGrants = `from webhook_subscriptions s join grants g on ${covers('s')} where s.id = $1`

const lockCovering = statement<[subscriptionId: string], { id: string }>(
  `select g.id ${coveringGrants} order by g.expires_at desc limit 1 for share of g`,
)

/**
 * Throws `forbidden`, in the words of `refusal`, unless the user of a subscription allows it as it is in this transaction. The
 * grant is locked against its revocation until the transaction ends.
 */
export async function requireGrant(
  { db }: InTransaction,
  { id, userId }: AboutUser,
  refusal: () => Problem = grantGone,
): Promise<void> {
  if (userId === null) return
  const [living] = await lockCovering(db, id)
  if (!living) throw refusal()
}

/** Whether a living grant of its user allows a subscription. */
export async function isCovered({ db }: InTransaction, subscriptionId: string): Promise<boolean> {
  return (await lockCovering(db, subscriptionId)).length > 0
}

const lockLiving = statement<[clientId: string, userId: string | null], { id: string }>(
  'select id from grants where client_id = $1 and user_id = $2 and revoked_at is null order by id for share',
)

/** For what locks a subscription and then asks for its grant: whoever revokes one locks in this order, the grant first. */
export async function lockGrants(
  { db }: InTransaction,
  whose: { clientId: string; userId: string | null },
): Promise<void> {
  await lockLiving(db, whose.clientId, whose.userId)
}

export const grantGone = () =>
  new Problem('forbidden', "The user's grant to the application is gone: they have to consent again.")

const selectOldest = statement<[subscriptionId: string], { created_ms: number | null }>(
  `select (extract(epoch from min(g.created_at)) * 1000)::float8 as created_ms ${coveringGrants}`,
)

/**
 * Since when the user of a subscription has allowed it without a break, in milliseconds since 1970: earlier events may not
 * be sent. 0 for a subscription without a user; infinite while there is no grant.
 */
export async function allowedSince({ db }: Context, { id, userId }: AboutUser): Promise<number> {
  if (userId === null) return 0
  const [oldest] = await selectOldest(db, id)
  return oldest?.created_ms ?? Number.POSITIVE_INFINITY
}
