import { instantText, statement } from '../../db/statement.ts'
import type { MemberRole } from '../../shared/roles.ts'
import { auditAll } from '../audit/audit.ts'
import type { Context } from '../core/context.ts'
import type { InTransaction } from '../core/transaction.ts'
import { deleteRecentSubscriptions, LAST_TURNED, RECENT_SUBSCRIPTIONS } from '../webhooks/subscriptions/delete.ts'
import { endInvitationsOf } from './people/invitations.ts'

/** What was put lately into an application `name`, by which whoever did it reaches it: a member, a receiver, an address, a key. */
export type RecentAddition = {
  kind: 'member' | 'webhook' | 'redirect_uri' | 'public_keys'
  name: string
  label: string | null
  created_at: string
}

const selectAdded = statement<[ownerId: string, since: Date, limit: number], RecentAddition>(`
  select kind, name, label, ${instantText('at')} as created_at from (
    select 'member' as kind, c.name, u.username as label, greatest(m.joined_at, m.role_changed_at) as at
      from clients c join application_members m on m.client_id = c.id join users u on u.id = m.user_id
     where c.owner_id = $1 and greatest(m.joined_at, m.role_changed_at) > $2::timestamptz
    union all
    select 'webhook', c.name, split_part(s.url, '?', 1), ${LAST_TURNED}
      from webhook_subscriptions s join clients c on c.id = s.client_id where s.id in (${RECENT_SUBSCRIPTIONS})
    union all
    select 'redirect_uri', c.name, r.uri, r.added_at from clients c join client_redirect_uris r on r.client_id = c.id
     where c.owner_id = $1 and r.added_at > $2::timestamptz
    union all
    select 'public_keys', name, null, jwks_changed_at from clients
     where owner_id = $1 and jwks_changed_at > $2::timestamptz and jwks -> 'keys' <> '[]') added
   order by name, kind, label limit $3::int`)

/** Of the applications that a user owns; an address without its query, which may hold a secret. */
export const listRecentAdditions = ({ db }: Pick<Context, 'db'>, ownerId: string, since: Date, limit: number) =>
  selectAdded(db, ownerId, since, limit)

type Removed = { client_id: string; user_id: string; role: MemberRole }
const removeMembers = statement<[ownerId: string, since: Date], Removed>(`
  delete from application_members
   where client_id in (select id from clients where owner_id = $1) and greatest(joined_at, role_changed_at) > $2::timestamptz
  returning client_id, user_id, role`)
const removeAddresses = statement<[ownerId: string, since: Date], { id: string }>(`
  with removed as (
    delete from client_redirect_uris
     where client_id in (select id from clients where owner_id = $1) and added_at > $2::timestamptz returning client_id)
  select distinct client_id as id from removed`)
/** All of a set that was changed: which of them were there before is not known. */
const removeKeys = statement<[ownerId: string, since: Date], { id: string }>(`
  update clients set jwks = '{"keys":[]}', updated_at = statement_timestamp()
   where owner_id = $1 and jwks_changed_at > $2::timestamptz and jwks -> 'keys' <> '[]' returning id`)

/** Takes all of that out again, for an owner whose account somebody else had, under the lock of the applications. */
export async function endRecentAdditions(tx: InTransaction<Context>, ownerId: string, since: Date): Promise<void> {
  const actor = { type: 'user', id: ownerId } as const
  for (const { client_id: clientId, user_id: userId, role } of await removeMembers(tx.db, ownerId, since)) {
    await endInvitationsOf(tx, clientId, userId)
    const about = { userId, clientId, targetId: userId, details: { role } }
    await auditAll(tx, [{ actor, action: 'member.removed', ...about }])
    tx.afterCommit(() => tx.credentials.end(userId))
  }
  for (const [what, remove] of [
    ['redirect_uris', removeAddresses],
    ['jwks', removeKeys],
  ] as const) {
    const changed = await remove(tx.db, ownerId, since)
    const entryOf = ({ id }: { id: string }) => ({ actor, clientId: id, targetId: id, details: { removed: what } })
    await auditAll(
      tx,
      changed.map((one) => ({ ...entryOf(one), action: 'application.updated' })),
    )
    for (const { id } of changed) tx.afterCommit(() => tx.credentials.end(id))
  }
  await deleteRecentSubscriptions(tx, ownerId, since)
}
