import { eq, type SQL } from 'drizzle-orm'
import { passkeys, recoveryCodes, totpEnrolments, totpFactors, users } from '../../db/schema/index.ts'
import { lockOwnAccount } from '../access/account-locks.ts'
import { endPendingLoginsOf } from '../access/pending-logins.ts'
import { endSessionsOf } from '../access/sessions.ts'
import type { Context, UserContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { hasFactor, noteProtection } from './standing.ts'
import { tellOfFactors } from './tell.ts'

/** Removes the caller's authenticator. Throws `not_found`. */
export async function removeTotp(ctx: UserContext): Promise<void> {
  const { userId } = ctx.principal
  await removeFactor(ctx, 'totp', async ({ db }) => {
    const removed = await db
      .delete(totpFactors)
      .where(eq(totpFactors.userId, userId))
      .returning({ id: totpFactors.userId })
    if (removed.length === 0) throw new Problem('not_found', 'You have no authenticator.')
  })
}

/** With the last factor go the recovery codes, which would open nothing any more. */
export async function removeFactor(
  ctx: UserContext,
  kind: 'totp' | 'passkey',
  remove: (tx: InTransaction) => Promise<void>,
): Promise<void> {
  const { userId, username } = ctx.principal
  await transact(ctx, async (tx) => {
    await lockOwnAccount(tx)
    await remove(tx)
    await tellOfFactors(tx, { userId, username, action: 'factor.removed', what: `${kind}_removed` })
    if (await hasFactor(tx, userId)) return
    await tx.db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
    await noteProtection(tx, userId, null)
    await endPendingLoginsOf(tx, userId)
  })
}

/**
 * Takes all second factors of an account away, for somebody who has lost them and whom the operator knows, and ends its
 * sessions. The password stays. Throws `user_not_found`, and `not_found` where there are none.
 */
export async function resetFactors(ctx: Context, name: string): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const [user] = await tx.db
      .select({ id: users.id, username: users.username })
      .from(users)
      .where(eq(users.username, name.toLowerCase()))
      .for('no key update')
    if (!user) throw new Problem('user_not_found', `There is no account "${name}".`)
    const { id: userId } = user
    if (!(await hasFactor(tx, userId))) throw new Problem('not_found', `The account "${name}" has no second factor.`)
    for (const table of [totpFactors, totpEnrolments, passkeys, recoveryCodes])
      await tx.db.delete(table).where(ofUser(table, userId))
    await noteProtection(tx, userId, null)
    await endSessionsOf(tx, userId)
    const by = { type: 'operator' } as const
    await tellOfFactors(tx, { userId, username: user.username, action: 'factor.reset', what: 'reset', by })
    return { id: userId }
  })
}

const ofUser = (table: { userId: Parameters<typeof eq>[0] }, userId: string): SQL => eq(table.userId as never, userId)
