import { statement } from '../../../db/statement.ts'
import { auditAll } from '../../audit/audit.ts'
import type { Context } from '../../core/context.ts'
import type { InTransaction } from '../../core/transaction.ts'
import { mailUser } from '../../mail/mail-user.ts'
import { changeOwner } from './transfer.ts'

/** SQL: the developer who has belonged to the application `c` for longest, and whose account is open. */
export const heirOf = (column: 'id' | 'username') => `(
  select u.${column} from application_members m join users u on u.id = m.user_id
   where m.client_id = c.id and m.role = 'developer' and u.disabled_at is null order by m.joined_at, u.id limit 1)`

const lockOwned = statement<[ownerId: string], { id: string; name: string }>(
  'select id, name from clients where owner_id = $1 order by id for no key update',
)
const findHeir = statement<[id: string], { heir: string | null; username: string | null }>(
  `select ${heirOf('id')} as heir, ${heirOf('username')} as username from clients c where c.id = $1`,
)
const dropInvitations = statement<[id: string], never>('delete from application_invitations where client_id = $1')

/**
 * Hands the applications of an account that is closed to whoever has developed each for longest, even to one who owns as many as one may; one
 * without a developer stays. Nobody is asked to any of them any more.
 */
export async function handOnApplications(tx: InTransaction<Context>, ownerId: string): Promise<void> {
  for (const { id, name: application } of await lockOwned(tx.db, ownerId)) {
    await dropInvitations(tx.db, id)
    const [{ heir, username } = { heir: null, username: null }] = await findHeir(tx.db, id)
    if (heir === null || username === null) continue
    await changeOwner(tx, { id, userId: heir })
    const about = { userId: heir, clientId: id, targetId: id, details: { application, new_owner: username } }
    await auditAll(tx, [{ actor: { type: 'system' }, action: 'application.handed_on', ...about }])
    await mailUser(tx, 'application_handed_on', heir, { application, applicationId: id })
  }
}
