import { sql } from 'drizzle-orm'
import { statement } from '../../../db/statement.ts'
import { Problem } from '../../core/problem.ts'
import type { InTransaction } from '../../core/transaction.ts'

const OF_APPLICATION_MAX = 100
const OF_USER_MAX = 20
/**
 * The same of all applications of one owner together, who can make any number of them: each event is written once for each
 * subscription that hears of it, before anything of it is sent.
 */
const OF_OWNERS_APPLICATIONS_MAX = 500
const OF_OWNERS_USER_MAX = 100

/**
 * What an application has of its own, or for one user: both are ranges of an index. The owner as read under a lock on the application,
 * as `requireActiveAccounts` does: one who had it until just now has room that its new owner may not have.
 */
type Whose = { clientId: string; userId: string | null; ownerId: string | null; id?: string }

const ofUser = (client: string) => `client_id = ${client} and user_id = $2 and deleted_at is null`
const ofApplication = (client: string) =>
  `client_id = ${client} and user_id is null and $2::text is null and deleted_at is null`

/**
 * SQL for how many an application has. In the order of an index of whose they are, and counted by itself: otherwise it could be planned,
 * while there are few, as a look at all of the application's users, or as a join with all that there are, and that under the lock.
 */
const usedOf = (whose: string) => `
  select count(*) from (
    select disabled_reason from webhook_subscriptions where ${whose} order by client_id, user_id, id) s
  where disabled_reason is distinct from 'grant_lost'`

const counting = (whose: string) =>
  statement<[clientId: string, userId: string | null], { used: number }>(`select (${usedOf(whose)})::int as used`)

const discarding = (whose: string) =>
  statement<[clientId: string, userId: string | null, spared: string, kept: number], never>(`
with old as materialized (
  select id from webhook_subscriptions where ${whose} and disabled_reason = 'grant_lost' and id <> $3
  order by id desc offset $4::int for update
), types as (
  delete from webhook_subscription_types where subscription_id = any (array (select id from old))
), secrets as (
  delete from webhook_secrets where subscription_id = any (array (select id from old))
)
update webhook_subscriptions set deleted_at = statement_timestamp(), updated_at = statement_timestamp()
where id = any (array (select id from old))`)

const countingOfOwner = (whose: string) =>
  statement<[ownerId: string, userId: string | null], { used: number }>(`
select coalesce(sum((${usedOf(whose)})), 0)::int as used from clients c where c.owner_id = $1`)

const [countUsersOwn, countApplicationsOwn] = [counting(ofUser('$1')), counting(ofApplication('$1'))]
const [countOwnersUser, countOwnersApplications] = [
  countingOfOwner(ofUser('c.id')),
  countingOfOwner(ofApplication('c.id')),
]
const [discardUsersOwn, discardApplicationsOwn] = [discarding(ofUser('$1')), discarding(ofApplication('$1'))]

/**
 * Throws `limit_reached` when an application, or all those of its owner, have no room for one more of their own, or one more of this user:
 * what one user makes takes no room of another. Disabled ones count; those that lost their grant do not, until they are enabled again, so
 * that a new consent finds room. Of those as many are kept as may be alive, `id` among them; older ones are deleted.
 */
export async function requireRoom(tx: InTransaction, whose: Whose): Promise<void> {
  const { clientId, userId, ownerId, id = '' } = whose
  // The lock makes concurrent creations see each other: without it, 130 at once would all be made
  const lock = `webhook subscriptions ${ownerId ?? clientId} ${userId ?? ''}`
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`)
  const [count, discard, max, of] =
    userId === null
      ? [countApplicationsOwn, discardApplicationsOwn, OF_APPLICATION_MAX, 'of its own']
      : [countUsersOwn, discardUsersOwn, OF_USER_MAX, 'for each of its users']
  const used = (await count(tx.db, clientId, userId))[0]?.used ?? 0
  if (used >= max) throw noRoom(`An application has at most ${max} subscriptions ${of}`, used)
  if (ownerId !== null) await requireOwnersRoom(tx, ownerId, userId)
  await discard(tx.db, clientId, userId, id, max)
}

async function requireOwnersRoom({ db }: InTransaction, ownerId: string, userId: string | null): Promise<void> {
  const [count, max, of] =
    userId === null
      ? [countOwnersApplications, OF_OWNERS_APPLICATIONS_MAX, 'of their own']
      : [countOwnersUser, OF_OWNERS_USER_MAX, 'for each of their users']
  const used = (await count(db, ownerId, userId))[0]?.used ?? 0
  if (used >= max) throw noRoom(`All applications of an owner together have at most ${max} subscriptions ${of}`, used)
}

const noRoom = (rule: string, used: number) =>
  new Problem('limit_reached', `${rule}; ${used} are used: delete one that is not needed.`)
