import { statement } from '../../../db/statement.ts'
import { holdSession } from '../../access/account-locks.ts'
import { requireProvedFactor } from '../../access/admission.ts'
import { actorBehind, auditAll } from '../../audit/audit.ts'
import type { Context, UserContext } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import { type InTransaction, transact } from '../../core/transaction.ts'
import { mailUserWidely } from '../../mail/mail-user.ts'
import { requireApplicationRoom } from '../applications.ts'
import { lockInvitation } from './accept.ts'
import { dead, type FoundInvitation, findInvitation, findOffer } from './invitations.ts'
import { isMember } from './members.ts'
import type { Joined } from './resources.ts'

type ToAccept = { token?: string | undefined; application_id?: string | undefined }

/**
 * Takes over an application that was offered to the caller, by the link of the mail or, as a member, by its identifier. Who owned it
 * becomes a developer of it; from now on it counts for its new owner. Throws `invalid_request`, `forbidden`, `limit_reached`, and
 * `second_factor_required` where developers need one.
 */
export async function acceptTransfer(ctx: UserContext, { token, application_id }: ToAccept): Promise<Joined> {
  const { userId, username } = ctx.principal
  requireProvedFactor(ctx, ctx.principal.session, 'developers')
  return transact(ctx, async (tx) => {
    await requireApplicationRoom(tx, userId)
    await holdSession(tx, tx.principal.session)
    const { client_id: id, ...offer } = await lockOffer(tx, await offerOf(tx, token, application_id))
    await changeOwner(tx, { id, userId })
    const { owner_id: before, application_name: application } = offer
    if (before !== null) await insertDeveloper(tx.db, id, before, tx.now())
    const entry = { actor: actorBehind(tx.principal), action: 'application.transferred', targetId: id } as const
    const details = { application, new_owner: username }
    await auditAll(tx, [
      { ...entry, userId, clientId: id, details },
      ...(before === null ? [] : [{ ...entry, userId: before, details }]),
    ])
    if (before !== null) await mailUserWidely(tx, 'application_transferred', before, { application, owner: username })
    return { application_id: id, role: 'owner' }
  })
}

/** A member to whom it was offered has to be one still. */
async function lockOffer(tx: InTransaction<UserContext>, found: FoundInvitation) {
  const offer = await lockInvitation(tx, found)
  if (offer.role !== 'owner') throw new Problem('invalid_request', 'token: This one does not hand it over to you.')
  if (offer.user_id !== null && !(await isMember(tx, offer.client_id, offer.user_id))) throw dead()
  return offer
}

function offerOf(tx: InTransaction<UserContext>, token: string | undefined, applicationId: string | undefined) {
  const { userId } = tx.principal
  if (token !== undefined) return findInvitation(tx, userId, token)
  if (applicationId !== undefined) return findOffer(tx, userId, applicationId)
  throw new Problem('invalid_request', 'token: is required, or application_id.')
}

const setOwner = statement<[id: string, userId: string, at: Date], never>(
  'update clients set owner_id = $2, stopped_with_owner = false, updated_at = $3::timestamptz where id = $1',
)
const deleteMember = statement<[id: string, userId: string], never>(
  'delete from application_members where client_id = $1 and user_id = $2',
)
const insertDeveloper = statement<[id: string, userId: string, at: Date], never>(`
  insert into application_members (client_id, user_id, role, joined_at) values ($1, $2, 'developer', $3::timestamptz)
  on conflict (client_id, user_id) do update set role = 'developer'`)

/** Under the lock of the application. Deliveries are filed under their new owner by and by, as the worker meets them. */
export async function changeOwner(
  tx: InTransaction<Context>,
  { id, userId }: { id: string; userId: string },
): Promise<void> {
  await setOwner(tx.db, id, userId, tx.now())
  await deleteMember(tx.db, id, userId)
  tx.afterCommit(() => {
    tx.credentials.end(id)
    tx.credentials.end(userId)
  })
}
