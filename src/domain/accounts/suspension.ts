import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import { users } from '../../db/schema/index.ts'
import { endSessionsOf } from '../access/sessions.ts'
import { audit } from '../audit/audit.ts'
import type { Context } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { endLivestream } from '../livestreams.ts'
import { disableForStopped } from '../webhooks/queue/lost-grants.ts'

/**
 * Closes an account until it is opened again: its stream and its login sessions end, its channel is not found, its tokens
 * are refused, webhooks about it stop. Its grants stay, and its applications go on: these are disabled one by one. Throws
 * `user_not_found`, also when the account is closed already.
 */
export async function disableUser(ctx: Context, name: string): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const at = tx.now()
    const username = name.toLowerCase()
    const [closed] = await tx.db
      .update(users)
      .set({ disabledAt: at, updatedAt: at })
      .where(and(eq(users.username, username), isNull(users.disabledAt)))
      .returning({ id: users.id })
    if (!closed) throw new Problem('user_not_found', `There is no open account "${name}".`)
    const { id: userId } = closed
    await endWhatIsOpen(tx, { userId, username })
    await audit(tx, { actor: { type: 'operator' }, action: 'user.disabled', userId, targetId: userId })
    return closed
  })
}

/** Ends what goes on in the name of an account that was just closed: its stream, its sessions, webhooks about it, in all processes. */
export async function endWhatIsOpen(
  tx: InTransaction<Context>,
  { userId, username }: { userId: string; username: string },
): Promise<void> {
  await endLivestream({ ...tx, principal: { kind: 'user', userId, username, clientId: null, scopes: [] } })
  await endSessionsOf(tx, userId)
  await disableForStopped(tx, { userId })
  tx.afterCommit(() => tx.credentials.end(userId))
}

/**
 * Opens a closed account. Its webhooks stay off until they are enabled. Throws `user_not_found`, also when it is open, or was
 * closed by its owner (`reopenUser`).
 */
export async function enableUser(ctx: Context, name: string): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const [opened] = await tx.db
      .update(users)
      .set({ disabledAt: null, updatedAt: tx.now() })
      .where(
        and(
          eq(users.username, name.toLowerCase()),
          isNotNull(users.disabledAt),
          isNull(users.eraseAt),
          isNull(users.erasedAt),
        ),
      )
      .returning({ id: users.id })
    if (!opened) throw new Problem('user_not_found', `There is no closed account "${name}".`)
    await audit(tx, { actor: { type: 'operator' }, action: 'user.enabled', userId: opened.id, targetId: opened.id })
    return opened
  })
}
