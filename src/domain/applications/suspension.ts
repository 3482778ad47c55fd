import { and, eq, isNotNull, isNull } from 'drizzle-orm'
import { clients } from '../../db/schema/index.ts'
import { audit } from '../audit/audit.ts'
import type { Context } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { transact } from '../core/transaction.ts'
import { disableForStopped } from '../webhooks/queue/lost-grants.ts'

/**
 * Stops an application until it is enabled again: its tokens, keys and secrets are refused, its webhooks stop. Nothing is
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
    await disableForStopped(tx, { clientId: id })
    await audit(tx, { actor: { type: 'operator' }, action: 'application.disabled', clientId: id, targetId: id })
    tx.afterCommit(() => tx.credentials.end(id))
    return { id }
  })
}

/**
 * Enables a stopped application. Its webhooks stay off until they are enabled. Throws `not_found`, also when it works.
 */
export async function enableApplication(ctx: Context, id: string): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const started = await tx.db
      .update(clients)
      .set({ disabledAt: null, stoppedWithOwner: false, updatedAt: tx.now() })
      .where(and(eq(clients.id, id), isNotNull(clients.disabledAt)))
      .returning({ id: clients.id })
    if (started.length === 0) throw new Problem('not_found', 'There is no stopped application with this identifier.')
    await audit(tx, { actor: { type: 'operator' }, action: 'application.enabled', clientId: id, targetId: id })
    return { id }
  })
}
