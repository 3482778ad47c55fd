import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import { clients, users } from '../../db/schema/index.ts'
import { endSessionsOf } from '../access/sessions.ts'
import { type AuditActor, audit } from '../audit/audit.ts'
import type { Context } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { transact } from '../core/transaction.ts'
import { endLivestream } from '../livestreams.ts'
import { disableForLostGrant } from '../webhooks/subscriptions/disable.ts'

const operator: AuditActor = { type: 'operator' }

/**
 * Closes an account until it is opened again: its stream and its login sessions end, its channel is not found, tokens that
 * stand for it are refused, webhooks about it stop. Grants stay, and so do its applications, which are stopped by themselves.
 * Throws `user_not_found`, also when it is closed already.
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
    await endLivestream({ ...tx, principal: { kind: 'user', userId, username, clientId: null, scopes: [] } })
    await endSessionsOf(tx, userId)
    await disableForLostGrant(tx, { userId })
    await audit(tx, { actor: operator, action: 'user.disabled', userId, targetId: userId })
    tx.afterCommit(tx.credentials.forget)
    return closed
  })
}

/** Opens it again. Webhooks stay off until somebody turns them on. Throws `user_not_found`, also when it is open. */
export async function enableUser(ctx: Context, name: string): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const [opened] = await tx.db
      .update(users)
      .set({ disabledAt: null, updatedAt: tx.now() })
      .where(and(eq(users.username, name.toLowerCase()), isNotNull(users.disabledAt)))
      .returning({ id: users.id })
    if (!opened) throw new Problem('user_not_found', `There is no closed account "${name}".`)
    await audit(tx, { actor: operator, action: 'user.enabled', userId: opened.id, targetId: opened.id })
    return opened
  })
}

/**
 * Stops an application until it is let in again: its tokens, keys and secrets are refused, its webhooks stop. Nothing is
 * deleted. Throws `not_found`, also when it is stopped already.
 */
export async function disableApplication(ctx: Context, id: string): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const at = tx.now()
    const stopped = await tx.db
      .update(clients)
      .set({ disabledAt: at, updatedAt: at })
      .where(and(eq(clients.id, id), isNull(clients.disabledAt)))
      .returning({ id: clients.id })
    if (stopped.length === 0) throw new Problem('not_found', 'There is no working application with this identifier.')
    await disableForLostGrant(tx, { clientId: id })
    await audit(tx, { actor: operator, action: 'application.disabled', clientId: id, targetId: id })
    tx.afterCommit(tx.credentials.forget)
    return { id }
  })
}

/** Lets it in again. Its webhooks stay off until somebody turns them on. Throws `not_found`, also when it works. */
export async function enableApplication(ctx: Context, id: string): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const started = await tx.db
      .update(clients)
      .set({ disabledAt: null, updatedAt: tx.now() })
      .where(and(eq(clients.id, id), isNotNull(clients.disabledAt)))
      .returning({ id: clients.id })
    if (started.length === 0) throw new Problem('not_found', 'There is no stopped application with this identifier.')
    await audit(tx, { actor: operator, action: 'application.enabled', clientId: id, targetId: id })
    return { id }
  })
}
