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
 * Throws `forbidden` unless the user of a subscription still allows it. The grant is locked against its revocation until the
 * transaction ends.
 */
export async function requireGrant({ db }: InTransaction, { id, userId }: AboutUser): Promise<void> {
  if (userId === null) return
  const [living] = await lockCovering(db, id)
  if (!living) throw grantGone()
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
