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

const ownerOf = statement<[clientId: string], { owner_id: string | null }>('select owner_id from clients where id = $1')

const countingOfOwner = (whose: string) =>
  statement<[ownerId: string, userId: string | null], { used: number }>(`
select count(*)::int as used from clients c cross join lateral (
  select from webhook_subscriptions
  where client_id = c.id and ${whose} and deleted_at is null and disabled_reason is distinct from 'grant_lost') s
where c.owner_id = $1`)

const countOwnersUser = countingOfOwner('user_id = $2')
const countOwnersApplications = countingOfOwner('user_id is null and $2::text is null')

const [countUsersOwn, countApplicationsOwn] = [counting(ofUser), counting(ofApplication)]
const [discardUsersOwn, discardApplicationsOwn] = [discarding(ofUser), discarding(ofApplication)]

/**
 * Throws `limit_reached` when an application, or all those of its owner, have no room for one more of their own, or one more of this user:
 * what one user makes takes no room of another. Disabled ones count; those that lost their grant do not, until they are enabled again, so
 * that a new consent finds room. Of those as many are kept as may be alive, `id` among them; older ones are deleted.
 */
export async function requireRoom(tx: InTransaction, whose: Whose): Promise<void> {
  const { clientId, userId, id = '' } = whose
  const ownerId = (await ownerOf(tx.db, clientId))[0]?.owner_id ?? null
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
