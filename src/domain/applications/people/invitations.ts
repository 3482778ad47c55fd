import { instantText, statement } from '../../../db/statement.ts'
import type { Role } from '../../../shared/roles.ts'
import { DAY_MS } from '../../../time/durations.ts'
import { isWellFormed, mint } from '../../access/token-format.ts'
import { type AuditActor, auditAll } from '../../audit/audit.ts'
import type { Context } from '../../core/context.ts'
import { sha256 } from '../../core/digest.ts'
import { newId } from '../../core/ids.ts'
import { Problem } from '../../core/problem.ts'
import type { InTransaction } from '../../core/transaction.ts'
import type { Invitation } from './resources.ts'

export const INVITATION_LIFE_MS = 7 * DAY_MS

/** Who is asked: whoever has confirmed an address, or an account. */
export type Invitee = { address: string } | { userId: string }
type NewInvitation = { clientId: string; role: Role; invitee: Invitee; invitedBy: string }

type Row = [
  id: string,
  clientId: string,
  role: Role,
  address: string | null,
  userId: string | null,
  invitedBy: string,
  hash: Buffer,
  lifeMs: number,
]
/** What was sent to the same address before works no longer, and neither does an earlier offer of the application. */
const dropEarlier = statement<[clientId: string, role: Role, address: string | null], never>(`
  delete from application_invitations
   where client_id = $1 and (lower(address) = lower($3::text) or (role = 'owner' and $2 = 'owner') or expires_at <= statement_timestamp())`)
const insertInvitation = statement<Row, Invitation>(`
  insert into application_invitations (id, client_id, role, address, user_id, invited_by, hash, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, statement_timestamp(), statement_timestamp() + $8::float8 * interval '1 millisecond')
  returning id, role, address as email, (select username from users where id = $5) as username,
            ${instantText('created_at')} as created_at, ${instantText('expires_at')} as expires_at`)

/** Keeps an invitation by the hash of its token, which is to be in a mail of the same transaction, under the lock of the application. */
export async function keepInvitation(
  tx: InTransaction<Context>,
  { clientId, role, invitee, invitedBy }: NewInvitation,
): Promise<{ invitation: Invitation; token: string }> {
  const token = mint('link')
  const address = 'address' in invitee ? invitee.address : null
  const userId = 'userId' in invitee ? invitee.userId : null
  await dropEarlier(tx.db, clientId, role, address)
  const row: Row = [
    newId('invitation', tx.now()),
    clientId,
    role,
    address,
    userId,
    invitedBy,
    sha256(token),
    INVITATION_LIFE_MS,
  ]
  const [invitation] = await insertInvitation(tx.db, ...row)
  if (!invitation) throw new Error('An invitation that was inserted is not there')
  return { invitation, token }
}

/** A living invitation and the application that it is to. `fit`: whether an account is who was asked. */
export type FoundInvitation = {
  id: string
  client_id: string
  role: Role
  address: string | null
  user_id: string | null
  username: string | null
  application_name: string
  inviter: string | null
  expires_at: string
  fit: 'yes' | 'unconfirmed' | 'other_account'
}

/** An account is asked by its address once it has confirmed that: nobody else could have got the mail. */
const SELECT = `
  select i.id, i.client_id, i.role, i.address, i.user_id, asked.username, c.name as application_name, inviter.username as inviter,
         ${instantText('i.expires_at')} as expires_at,
         case when i.user_id = me.id or (lower(i.address) = lower(me.email) and me.email_verified_at is not null) then 'yes'
              when lower(i.address) = lower(me.email) then 'unconfirmed' else 'other_account' end as fit
    from application_invitations i
    join clients c on c.id = i.client_id
    join users me on me.id = $1
    left join users asked on asked.id = i.user_id
    left join users inviter on inviter.id = i.invited_by
   where i.expires_at > statement_timestamp()`
const selectByToken = statement<[reader: string, hash: Buffer], FoundInvitation>(`${SELECT} and i.hash = $2`)
const selectOffer = statement<[reader: string, clientId: string], FoundInvitation>(
  `${SELECT} and i.client_id = $2 and i.role = 'owner' and i.user_id = $1`,
)

/** The living invitation with this token, as it concerns a user, without using it up. Throws `invalid_request`. */
export async function findInvitation({ db }: Context, userId: string, token: string): Promise<FoundInvitation> {
  const [found] = isWellFormed('link', token) ? await selectByToken(db, userId, sha256(token)) : []
  if (!found) throw dead()
  return found
}

/** The offer of an application to a member of it. Throws `invalid_request`. */
export async function findOffer({ db }: Context, userId: string, clientId: string): Promise<FoundInvitation> {
  const [found] = await selectOffer(db, userId, clientId)
  if (!found) throw dead()
  return found
}

/** Throws `forbidden` for an account that is not who was asked. */
export function requireFit({ fit }: FoundInvitation): void {
  if (fit === 'yes') return
  const why =
    fit === 'unconfirmed'
      ? 'your account has not confirmed the address that it went to: do that first.'
      : 'it went to another account, or to an address that yours has not confirmed.'
  throw new Problem('forbidden', `This invitation is not for you as you are logged in: ${why}`)
}

const deleteInvitation = statement<[id: string, clientId: string], { role: Role }>(
  'delete from application_invitations where id = $1 and client_id = $2 and expires_at > statement_timestamp() returning role',
)

/** Uses an invitation up, under the lock of its application; undefined when somebody was faster. */
export async function takeInvitation(
  { db }: InTransaction,
  { id, clientId }: { id: string; clientId: string },
): Promise<Role | undefined> {
  return (await deleteInvitation(db, id, clientId))[0]?.role
}

export const dead = () =>
  new Problem(
    'invalid_request',
    'token: This invitation does not work any more: it was used, was taken back, or has ended.',
  )

type EndedInvitation = { id: string; client_id: string; role: Role }
const deleteSent = statement<[inviter: string], EndedInvitation>(
  'delete from application_invitations where invited_by = $1 returning id, client_id, role',
)

/** Takes back whatever an account has asked others to: whoever had it for a moment may have asked themselves. */
export async function endInvitationsBy(tx: InTransaction<Context>, userId: string, actor: AuditActor): Promise<void> {
  const ended = await deleteSent(tx.db, userId)
  const entryOf = ({ id, client_id: clientId, role }: EndedInvitation) => ({
    clientId,
    targetId: id,
    details: { role },
  })
  await auditAll(
    tx,
    ended.map((one) => ({ actor, action: 'invitation.revoked', ...entryOf(one) })),
  )
}

const deleteOf = statement<[clientId: string, userId: string], never>(`
  delete from application_invitations where client_id = $1 and (user_id = $2 or invited_by = $2
     or lower(address) = (select lower(email) from users where id = $2 and email_verified_at is not null))`)

/**
 * Ends what would bring somebody back into an application, by name or by the address that they have confirmed, and whatever they have asked
 * others to while it was theirs, under its lock.
 */
export const endInvitationsOf = ({ db }: InTransaction, clientId: string, userId: string) =>
  deleteOf(db, clientId, userId)
