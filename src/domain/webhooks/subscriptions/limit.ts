import { sql } from 'drizzle-orm'
import { statement } from '../../../db/statement.ts'
import { Problem } from '../../core/problem.ts'
import type { InTransaction } from '../../core/transaction.ts'

const OF_APPLICATION_MAX = 100
const OF_USER_MAX = 20

/** What an application has of its own, or for one user: both are ranges of an index. */
type Whose = { clientId: string; userId: string | null; id?: string }

const ofUser = 'client_id = $1 and user_id = $2 and deleted_at is null'
const ofApplication = 'client_id = $1 and user_id is null and $2::text is null and deleted_at is null'

const counting = (whose: string) =>
  statement<[clientId: string, userId: string | null], { used: number }>(`
select count(*)::int as used from webhook_subscriptions
where ${whose} and disabled_reason is distinct from 'grant_lost'`)

const discarding = (whose: string) =>
  statement<[clientId: string, userId: string | null, spared: string, kept: number], never>(`
with old as materialized (
  select id from webhook_subscriptions where ${whose} and disabled_reason = 'grant_lost' and id <> $3
  order by id desc offset $4::int for update
), types as (
  delete from webhook_subscription_types t using old where t.subscription_id = old.id
), secrets as (
  delete from webhook_secrets w using old where w.subscription_id = old.id
)
update webhook_subscriptions s set deleted_at = statement_timestamp(), updated_at = statement_timestamp()
from old where s.id = old.id`)

const [countUsersOwn, countApplicationsOwn] = [counting(ofUser), counting(ofApplication)]
const [discardUsersOwn, discardApplicationsOwn] = [discarding(ofUser), discarding(ofApplication)]

/**
 * Throws `limit_reached` when an application has no room for one more of its own, or one more of this user: what one user
 * makes takes no room of another. Disabled ones count; those that lost their grant do not, until they are enabled again, so
 * that a new consent finds room. Of those as many are kept as may be alive, `id` among them; older ones are deleted.
 */
export async function requireRoom({ db }: InTransaction, { clientId, userId, id = '' }: Whose): Promise<void> {
  // The lock makes concurrent creations see each other: without it, 130 at once would all be made
  const lock = `webhook subscriptions ${clientId} ${userId ?? ''}`
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`)
  const [count, discard, max, whose] =
    userId === null
      ? [countApplicationsOwn, discardApplicationsOwn, OF_APPLICATION_MAX, 'of its own']
      : [countUsersOwn, discardUsersOwn, OF_USER_MAX, 'for each of its users']
  const [found] = await count(db, clientId, userId)
  const used = found?.used ?? 0
  const message = `An application has at most ${max} subscriptions ${whose}; ${used} are used: delete one that is not needed.`
  if (used >= max) throw new Problem('limit_reached', message)
  await discard(db, clientId, userId, id, max)
}
