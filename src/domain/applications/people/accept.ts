import { eq } from 'drizzle-orm'
import { clients } from '../../../db/schema/index.ts'
import { statement } from '../../../db/statement.ts'
import type { MemberRole } from '../../../shared/roles.ts'
import { actorBehind, audit } from '../../audit/audit.ts'
import type { UserContext } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import { type InTransaction, transact } from '../../core/transaction.ts'
import { dead, type FoundInvitation, findInvitation, requireFit, takeInvitation } from './invitations.ts'
import { MEMBERS_MAX } from './invite.ts'
import type { Joined, ReceivedInvitation } from './resources.ts'

/** A person belongs to so many applications of others. */
const MEMBERSHIPS_MAX = 100

/** What an invitation asks, for whoever has its link; it stays as it is. Throws `invalid_request` for one that does not work. */
export async function readInvitation(ctx: UserContext, { token }: { token: string }): Promise<ReceivedInvitation> {
  const found = await findInvitation(ctx, ctx.principal.userId, token)
  const { application_name, role, address, username, inviter, expires_at, fit } = found
  return { application_name, role, email: address, username, invited_by: inviter, expires_at, fit }
}

/**
 * Joins an application by an invitation, which works once; a member takes the role that it names. Throws `invalid_request` for one that does
 * not work, or is for its owner; `forbidden` for whoever it did not go to; `limit_reached`.
 */
export async function acceptInvitation(ctx: UserContext, { token }: { token: string }): Promise<Joined> {
  const { userId } = ctx.principal
  return transact(ctx, async (tx) => {
    const found = await lockInvitation(tx, await findInvitation(tx, userId, token))
    const { client_id: clientId, role } = found
    if (role === 'owner') throw new Problem('invalid_request', 'token: This one hands the application over to you.')
    await requirePlace(tx, clientId, userId)
    await upsertMember(tx.db, clientId, userId, role, tx.now())
    const about = { userId, clientId, targetId: userId, details: { role } }
    await audit(tx, { actor: actorBehind(tx.principal), action: 'member.joined', ...about })
    tx.afterCommit(() => tx.credentials.end(userId))
    return { application_id: clientId, role }
  })
}

/** Says no, so that the owner sees it. Throws as `acceptInvitation` does. */
export async function declineInvitation(ctx: UserContext, { token }: { token: string }): Promise<void> {
  const { userId } = ctx.principal
  await transact(ctx, async (tx) => {
    const { id, client_id: clientId, role } = await lockInvitation(tx, await findInvitation(tx, userId, token))
    const about = { userId, clientId, targetId: id, details: { role } }
    await audit(tx, { actor: actorBehind(tx.principal), action: 'invitation.declined', ...about })
  })
}

/** Uses an invitation up under the lock of its application, by which whoever changes its people waits for each other. */
export async function lockInvitation(
  tx: InTransaction<UserContext>,
  found: FoundInvitation,
): Promise<FoundInvitation & { owner_id: string | null }> {
  requireFit(found)
  const { id, client_id: clientId } = found
  const isIt = eq(clients.id, clientId)
  const [locked] = await tx.db.select({ ownerId: clients.ownerId }).from(clients).where(isIt).for('no key update')
  if (locked?.ownerId === tx.principal.userId)
    throw new Problem('invalid_request', 'token: You own this application already.')
  const role = await takeInvitation(tx, { id, clientId })
  if (!locked || !role) throw dead()
  return { ...found, role, owner_id: locked.ownerId }
}

const upsertMember = statement<[clientId: string, userId: string, role: MemberRole, at: Date], never>(`
  insert into application_members (client_id, user_id, role, joined_at) values ($1, $2, $3, $4::timestamptz)
  on conflict (client_id, user_id) do update
     set role = excluded.role, role_changed_at = excluded.joined_at where application_members.role <> excluded.role`)

type Places = { members: number; memberships: number }
/** Of others: who belongs to it already takes no place. */
const countPlaces = statement<[clientId: string, userId: string], Places>(`
  select (select count(*)::int from application_members where client_id = $1 and user_id <> $2) as members,
         (select count(*)::int from application_members where user_id = $2 and client_id <> $1) as memberships`)

async function requirePlace({ db }: InTransaction, clientId: string, userId: string): Promise<void> {
  const [{ members, memberships } = { members: 0, memberships: 0 }] = await countPlaces(db, clientId, userId)
  if (members >= MEMBERS_MAX)
    throw new Problem('limit_reached', `At most ${MEMBERS_MAX} people belong to an application beside its owner.`)
  if (memberships >= MEMBERSHIPS_MAX)
    throw new Problem('limit_reached', `An account belongs to at most ${MEMBERSHIPS_MAX} applications of others.`)
}
