import { statement } from '../../../db/statement.ts'
import { auditAll } from '../../audit/audit.ts'
import type { Context } from '../../core/context.ts'
import type { InTransaction } from '../../core/transaction.ts'
import { mailUser } from '../../mail/mail-user.ts'
import { stopApplication } from '../suspension.ts'
import { changeOwner } from './transfer.ts'

const lockOwned = statement<[ownerId: string], { id: string; name: string }>(
  'select id, name from clients where owner_id = $1 order by id for no key update',
)
const oldestDeveloper = statement<[id: string], { id: string; username: string }>(`
  select u.id, u.username from application_members m join users u on u.id = m.user_id
   where m.client_id = $1 and m.role = 'developer' and u.disabled_at is null order by m.joined_at, u.id limit 1`)
const dropInvitations = statement<[id: string], never>('delete from application_invitations where client_id = $1')
const leaveAll = statement<[userId: string], { client_id: string; role: string }>(
  'delete from application_members where user_id = $1 returning client_id, role',
)

/**
 * What becomes of applications when an account is closed for good, in the transaction that closes it: each goes to the developer who has
 * belonged to it for longest, even to one who owns as many as one may, else it is stopped; and the account belongs to no application any
 * more. Returns the identifiers of both.
 */
export async function handOnApplications(
  tx: InTransaction<Context>,
  userId: string,
): Promise<{ handedOn: string[]; stopped: string[] }> {
  const [handedOn, stopped]: [string[], string[]] = [[], []]
  for (const { id, name } of await lockOwned(tx.db, userId)) {
    await dropInvitations(tx.db, id)
    const [heir] = await oldestDeveloper(tx.db, id)
    if (heir) await handOn(tx, { id, name, heir })
    else await stopApplication(tx, id, { type: 'system' })
    ;(heir ? handedOn : stopped).push(id)
  }
  const left = await leaveAll(tx.db, userId)
  const entry = { actor: { type: 'user', id: userId }, action: 'member.left', userId, targetId: userId } as const
  await auditAll(
    tx,
    left.map(({ client_id: clientId, role }) => ({ ...entry, clientId, details: { role } })),
  )
  return { handedOn, stopped }
}

type Heirloom = { id: string; name: string; heir: { id: string; username: string } }

async function handOn(tx: InTransaction<Context>, { id, name: application, heir }: Heirloom): Promise<void> {
  await changeOwner(tx, { id, userId: heir.id })
  const about = { userId: heir.id, clientId: id, targetId: id, details: { application, new_owner: heir.username } }
  await auditAll(tx, [{ actor: { type: 'system' }, action: 'application.handed_on', ...about }])
  await mailUser(tx, 'application_handed_on', heir.id, { application, applicationId: id })
}
