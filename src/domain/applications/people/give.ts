import { statement } from '../../../db/statement.ts'
import { audit } from '../../audit/audit.ts'
import type { Context } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import { transact } from '../../core/transaction.ts'
import { mailUser } from '../../mail/mail-user.ts'
import { requireApplicationRoom } from '../applications.ts'
import { endAllInvitations, handOver } from './hand-on.ts'

type Found = { name: string; owner_id: string | null }
const lockApplication = statement<[id: string], Found>(
  'select name, owner_id from clients where id = $1 for no key update',
)
const findOpen = statement<[username: string], { id: string; username: string }>(
  'select id, username from users where username = lower($1) and disabled_at is null',
)

/**
 * Gives an application to an account, for the operator, who knows whose it is: as back to somebody whose account a thief had, who has
 * handed it to themselves. What proves it ends, as when it is handed on; whoever had it belongs to it no longer; both are told. Throws
 * `user_not_found`, `not_found`, `invalid_request`, `limit_reached`.
 */
export async function giveApplication(
  ctx: Context,
  { id, username }: { id: string; username: string },
): Promise<{ id: string; owner: string }> {
  return transact(ctx, async (tx) => {
    const [to] = await findOpen(tx.db, username)
    if (!to) throw new Problem('user_not_found', `There is no open account "${username}".`)
    await requireApplicationRoom(tx, to.id)
    const [found] = await lockApplication(tx.db, id)
    if (!found) throw new Problem('not_found', 'There is no application with this identifier.')
    const { name: application, owner_id: before } = found
    if (before === to.id) throw new Problem('invalid_request', `${to.username} owns this application.`)
    await endAllInvitations(tx, id)
    const entry = { actor: { type: 'operator' }, action: 'application.given' } as const
    await handOver(tx, { id, name: application }, to, entry)
    await mailUser(tx, 'application_given', to.id, { application, applicationId: id })
    if (before !== null) {
      await audit(tx, { ...entry, userId: before, targetId: id, details: { application, new_owner: to.username } })
      await mailUser(tx, 'application_taken', before, { application, owner: to.username })
    }
    return { id, owner: to.username }
  })
}
