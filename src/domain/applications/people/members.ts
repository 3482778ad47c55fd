import { statement } from '../../../db/statement.ts'
import type { MemberRole } from '../../../shared/roles.ts'
import { requireApplication } from '../../access/ownership.ts'
import { actorBehind, audit } from '../../audit/audit.ts'
import type { UserContext } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import { type InTransaction, transact } from '../../core/transaction.ts'
import { endInvitationsOf } from './invitations.ts'

type OfMember = { application_id: string; user_id: string }

const updateRole = statement<[id: string, userId: string, role: MemberRole, at: Date], { role: MemberRole }>(`
  update application_members m
     set role = $3, role_changed_at = case when before.role = $3 then m.role_changed_at else $4::timestamptz end
    from application_members before
   where m.client_id = $1 and m.user_id = $2 and before.client_id = $1 and before.user_id = $2
  returning before.role`)
const deleteMember = statement<[id: string, userId: string], { role: MemberRole }>(
  'delete from application_members where client_id = $1 and user_id = $2 returning role',
)

/**
 * Gives a member another role. What they have made goes on working, whatever they may do from now on. Throws `not_found`, `forbidden`.
 */
export async function changeRole(
  ctx: UserContext,
  { application_id: id, user_id, role }: OfMember & { role: MemberRole },
) {
  await transact(ctx, async (tx) => {
    await requireApplication(tx, id, 'no key update')
    const [before] = await updateRole(tx.db, id, user_id, role, tx.now())
    if (!before) throw notAMember()
    if (before.role === role) return
    const about = { userId: user_id, clientId: id, targetId: user_id, details: { role } }
    await audit(tx, { actor: actorBehind(tx.principal), action: 'member.role_changed', ...about })
    tx.afterCommit(() => tx.credentials.end(user_id))
  })
}

/**
 * Takes a member out of an application, at once: no call of theirs about it is answered any more, and what they follow of it ends. Keys and
 * secrets that they have seen go on working until they are rolled. Throws `not_found`, `forbidden`.
 */
export async function removeMember(ctx: UserContext, { application_id: id, user_id }: OfMember): Promise<void> {
  await transact(ctx, async (tx) => {
    await requireApplication(tx, id, 'no key update')
    await endMembership(tx, { id, userId: user_id, action: 'member.removed' })
  })
}

/** The same, by the member. Throws `not_found`, and `invalid_request` for the owner, who hands the application on first, or deletes it. */
export async function leaveApplication(ctx: UserContext, { application_id: id }: { application_id: string }) {
  const { userId } = ctx.principal
  await transact(ctx, async (tx) => {
    const { role } = await requireApplication(tx, id, 'no key update')
    if (role === 'owner')
      throw new Problem('invalid_request', 'application_id: is yours: hand it to somebody else, or delete it.')
    await endMembership(tx, { id, userId, action: 'member.left' })
  })
}

type Ending = { id: string; userId: string; action: 'member.removed' | 'member.left' }

async function endMembership(tx: InTransaction<UserContext>, { id, userId, action }: Ending): Promise<void> {
  const [before] = await deleteMember(tx.db, id, userId)
  if (!before) throw notAMember()
  await endInvitationsOf(tx, id, userId)
  const about = { userId, clientId: id, targetId: userId, details: { role: before.role } }
  await audit(tx, { actor: actorBehind(tx.principal), action, ...about })
  tx.afterCommit(() => tx.credentials.end(userId))
}

const findMember = statement<[id: string, userId: string], object>(
  'select 1 from application_members where client_id = $1 and user_id = $2',
)

/** Whether somebody belongs to an application beside its owner, asked under its lock. */
export async function isMember({ db }: InTransaction, id: string, userId: string): Promise<boolean> {
  return (await findMember(db, id, userId)).length === 1
}

const notAMember = () => new Problem('not_found', 'user_id: does not belong to this application, or owns it.')
