import { eq } from 'drizzle-orm'
import { users } from '../../db/schema/index.ts'
import { lockOwnAccount, lockUser } from '../access/account-locks.ts'
import { endSessionsOf } from '../access/sessions.ts'
import { endInvitationsBy } from '../applications/people/invitations.ts'
import { type AuditActor, audit } from '../audit/audit.ts'
import type { Context } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { changeFacts } from '../mail/change-facts.ts'
import { mailUser } from '../mail/mail-user.ts'
import { revokeConsents } from '../oauth/revoke-grants.ts'
import { endLinks } from './mail-links.ts'
import { countOwnChange, type PasswordContext, requireOwnPassword } from './own-password.ts'
import { hashPassword, requirePassword } from './passwords.ts'

/**
 * Sets a new password, ends every session of the user, the calling one too, and revokes every grant, so that whoever
 * knew the old password loses all access. Throws `invalid_request` for a wrong current password, `rate_limited` after
 * too many.
 */
export async function changePassword(
  ctx: PasswordContext,
  { current_password, new_password }: { current_password: string; new_password: string },
): Promise<void> {
  requirePassword('new_password', new_password)
  await requireOwnPassword(ctx, 'current_password', current_password)
  await countOwnChange(ctx)
  const passwordHash = await hashPassword(ctx, new_password)
  const { userId: id, username } = ctx.principal
  await transact(ctx, async (tx) => {
    await lockOwnAccount(tx)
    await setPassword(tx, { id, username }, passwordHash, { type: 'user', id })
  })
}

/** A new password, and the end of whatever the old one had opened, links to a new address and known browsers among it; the user is told. */
export async function setPassword(
  tx: InTransaction<Context>,
  { id, username }: { id: string; username: string },
  passwordHash: string,
  actor: AuditActor,
): Promise<void> {
  await lockUser(tx, id)
  const at = tx.now()
  await tx.db.update(users).set({ passwordHash, devicesForgottenAt: at, updatedAt: at }).where(eq(users.id, id))
  await endSessionsOf(tx, id) // first: what they are doing is done before the rest of it is looked for
  await endLinks(tx, id, 'verify', 'reset')
  await endInvitationsBy(tx, id, actor)
  await revokeConsents(tx, { userId: id }, { reason: 'password_changed', actor })
  await audit(tx, { actor, action: 'user.password_changed', userId: id, targetId: id })
  await mailUser(tx, 'password_changed', id, changeFacts(tx, username))
}

/** For the operator. Throws `user_not_found`, `invalid_request`. */
export async function setPasswordOf(ctx: Context, name: string, password: string): Promise<{ id: string }> {
  requirePassword('password', password)
  const passwordHash = await hashPassword({}, password)
  return transact(ctx, async (tx) => {
    const [user] = await tx.db
      .select({ id: users.id, username: users.username })
      .from(users)
      .where(eq(users.username, name.toLowerCase()))
    if (!user) throw new Problem('user_not_found', `There is no account "${name}".`)
    await setPassword(tx, user, passwordHash, { type: 'operator' })
    await endLinks(tx, user.id, 'restore') // the operator knows whose the account is
    return { id: user.id }
  })
}
