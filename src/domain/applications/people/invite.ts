import { statement } from '../../../db/statement.ts'
import type { MemberRole } from '../../../shared/roles.ts'
import { requireApplication } from '../../access/ownership.ts'
import { actorBehind, audit } from '../../audit/audit.ts'
import type { Caller } from '../../core/caller.ts'
import type { UserContext } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import { countOrRefuse, rateLimits } from '../../core/rate-limits.ts'
import { type InTransaction, transact } from '../../core/transaction.ts'
import { isEmailAddress } from '../../mail/address.ts'
import { mailboxOf } from '../../mail/mailbox.ts'
import { type MailRecipient, queueMail } from '../../mail/queue-mail.ts'
import { findApplication } from '../list.ts'
import { INVITATION_LIFE_MS, type Invitee, keepInvitation, takeInvitation } from './invitations.ts'
import { isMember } from './members.ts'
import type { Invitation } from './resources.ts'

export const MEMBERS_MAX = 50
const INVITATIONS_MAX = 20

/** Of whom the mail is asked for counts by network, too. */
type InviterContext = UserContext & { caller: Caller }
type ToInvite = { application_id: string; email: string; role: MemberRole }

/**
 * Invites whoever has an address to an application, by a mail with a link that lives for 7 days. An earlier invitation to the address is
 * replaced. The answer is the same whether there is such an account, and whether others have asked for too many mails to it within the hour. Throws
 * `not_found`, `forbidden`, `invalid_request`, `limit_reached`, `rate_limited`.
 */
export async function invitePerson(
  ctx: InviterContext,
  { application_id: id, email, role }: ToInvite,
): Promise<Invitation> {
  if (!isEmailAddress(email)) throw new Problem('invalid_request', 'email: is not an email address.')
  await requireApplication(ctx, id)
  await countInvitation(ctx, mailboxOf(email))
  return transact(ctx, async (tx) => {
    await requireApplication(tx, id, 'no key update')
    await requireSender(tx, email)
    await requirePlaces(tx, id, email)
    return ask(tx, { id, role, invitee: { address: email } })
  })
}

type ToOffer = { application_id: string; user_id?: string | undefined; email?: string | undefined }

/**
 * Offers an application to a member of it, or to whoever has an address. Nothing changes until it is accepted; an earlier offer is
 * replaced. Throws what `invitePerson` throws.
 */
export async function offerTransfer(
  ctx: InviterContext,
  { application_id: id, user_id, email }: ToOffer,
): Promise<Invitation> {
  await requireApplication(ctx, id)
  const invitee = inviteeOf(user_id, email)
  await countInvitation(ctx, 'userId' in invitee ? invitee.userId : mailboxOf(invitee.address))
  return transact(ctx, async (tx) => {
    await requireApplication(tx, id, 'no key update')
    await requireSender(tx, email)
    if ('userId' in invitee) await requireMember(tx, id, invitee.userId)
    return ask(tx, { id, role: 'owner', invitee })
  })
}

function inviteeOf(userId: string | undefined, email: string | undefined): Invitee {
  if ((userId === undefined) === (email === undefined))
    throw new Problem('invalid_request', 'user_id: is required, or email, and not both.')
  if (userId !== undefined) return { userId }
  if (email === undefined || !isEmailAddress(email))
    throw new Problem('invalid_request', 'email: is not an email address.')
  return { address: email }
}

/** Takes an invitation or an offer back. Throws `not_found`, `forbidden`. */
export async function revokeInvitation(
  ctx: UserContext,
  { application_id: clientId, id }: { application_id: string; id: string },
) {
  await transact(ctx, async (tx) => {
    await requireApplication(tx, clientId, 'no key update')
    const role = await takeInvitation(tx, { id, clientId })
    if (!role) throw new Problem('not_found', 'id: this application has no open invitation with this identifier.')
    const about = { clientId, targetId: id, details: { role } }
    await audit(tx, { actor: actorBehind(tx.principal), action: 'invitation.revoked', ...about })
  })
}

type Asking = { id: string; invitee: Invitee } & ({ role: MemberRole } | { role: 'owner' })

async function ask(tx: InTransaction<InviterContext>, { id: clientId, role, invitee }: Asking): Promise<Invitation> {
  const { userId: invitedBy, username } = tx.principal
  const { name, disabled_at } = await findApplication(tx, clientId)
  if (disabled_at !== null) throw new Problem('forbidden', 'This application is stopped: nobody is asked to it.')
  const { invitation, token } = await keepInvitation(tx, { clientId, role, invitee, invitedBy })
  const values = { application: name, inviter: username, role, token }
  const to = await recipientOf(tx, invitee)
  const options = { usefulMs: INVITATION_LIFE_MS, askedBy: tx.caller }
  if (to) await queueMail(tx, 'application_invitation', to, values, options)
  const action = role === 'owner' ? 'application.transfer_offered' : 'member.invited'
  const about = { clientId, targetId: invitation.id, details: { role } }
  await audit(tx, { actor: actorBehind(tx.principal), action, ...about })
  return invitation
}

const findMailOf = statement<[userId: string], { address: string | null }>(
  'select email as address from users where id = $1',
)

/** An address that was typed, without looking whether somebody has it; of a member their own. */
async function recipientOf({ db }: InTransaction, invitee: Invitee): Promise<MailRecipient | undefined> {
  if ('address' in invitee) return { userId: null, address: invitee.address }
  const [found] = await findMailOf(db, invitee.userId)
  return found?.address ? { userId: invitee.userId, address: found.address } : undefined
}

/** By what the inviter has done alone, so that it tells nothing of what others have sent to the same mailbox. */
async function countInvitation(ctx: UserContext, to: string): Promise<void> {
  const { userId } = ctx.principal
  await countOrRefuse(ctx, rateLimits.invitations, userId, 'You have invited many people lately: try again later.')
  const words = 'You have asked this person four times within a day: try again later.'
  await countOrRefuse(ctx, rateLimits.invitationsToOne, `${userId} ${to}`, words)
}

const findSender = statement<[id: string], { email: string | null; is_verified: boolean }>(
  'select email, email_verified_at is not null as is_verified from users where id = $1',
)

/** Whoever sends mails to strangers has an address of their own. Nobody invites themselves. */
async function requireSender({ db, principal }: UserContext, email: string | undefined): Promise<void> {
  const [sender] = await findSender(db, principal.userId)
  if (!sender?.is_verified)
    throw new Problem('forbidden', 'Confirm the address of your own account before you invite somebody.')
  if (email !== undefined && sender.email?.toLowerCase() === email.toLowerCase())
    throw new Problem('invalid_request', 'email: is your own address.')
}

type Places = { members: number; open: number }
const countPlaces = statement<[id: string, email: string], Places>(`
  select (select count(*)::int from application_members where client_id = $1) as members,
         (select count(*)::int from application_invitations
           where client_id = $1 and expires_at > statement_timestamp() and lower(address) is distinct from lower($2)) as open`)

async function requirePlaces({ db }: InTransaction, id: string, email: string): Promise<void> {
  const [{ members, open } = { members: 0, open: 0 }] = await countPlaces(db, id, email)
  if (members >= MEMBERS_MAX)
    throw new Problem('limit_reached', `At most ${MEMBERS_MAX} people belong to an application beside its owner.`)
  if (open >= INVITATIONS_MAX)
    throw new Problem('limit_reached', `An application has at most ${INVITATIONS_MAX} open invitations.`)
}

async function requireMember(tx: InTransaction, id: string, userId: string): Promise<void> {
  if (!(await isMember(tx, id, userId)))
    throw new Problem('not_found', 'user_id: does not belong to this application, or owns it.')
}
