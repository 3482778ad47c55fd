import * as z from 'zod'
import { instantText, statement } from '../../../db/statement.ts'
import { ERASED_AFTER_DAYS } from '../../../shared/limits.ts'
import { holdSession } from '../../access/account-locks.ts'
import { leaveApplications, listLeftApplications } from '../../applications/owner-leaves.ts'
import { audit } from '../../audit/audit.ts'
import type { Caller } from '../../core/caller.ts'
import type { UserContext } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import { type InTransaction, transact } from '../../core/transaction.ts'
import { changeFacts } from '../../mail/change-facts.ts'
import { mailUserWidely } from '../../mail/mail-user.ts'
import { revokeConsents } from '../../oauth/revoke-grants.ts'
import { endLinks } from '../mail-links.ts'
import { endWhatIsOpen } from '../suspension.ts'

/** What the caller's account takes along, for whoever is about to close it. */
export const ClosingEffects = z.object({
  /** `heir`: the name of who gets the application; null where it stops. */
  applications: z.array(z.object({ id: z.string(), name: z.string(), heir: z.string().nullable() })),
})

export const listClosingEffects = async (ctx: UserContext): Promise<z.output<typeof ClosingEffects>> => ({
  applications: await listLeftApplications(ctx, ctx.principal.userId),
})

/** `for update`: whoever makes something that belongs to the account at this moment waits, and is seen or refused. */
const lockOpen = statement<[userId: string], object>(
  'select 1 from users where id = $1 and disabled_at is null for update',
)
const close = statement<[userId: string], { erase_at: string }>(`
  update users set disabled_at = statement_timestamp(), updated_at = statement_timestamp(),
         erase_at = statement_timestamp() + interval '${ERASED_AFTER_DAYS} days'
   where id = $1 returning ${instantText('erase_at')} as erase_at`)

/**
 * Closes the caller's account for good: nobody sees it, sessions, grants, tokens and keys end at once in all processes, its
 * applications are left (`leaveApplications`). After 30 days `eraseClosed` erases what is left of the person; until then the
 * operator can open it again. Returns when that is, and tells it by mail. Throws `invalid_request` unless `username` is the
 * account's own, typed by whoever knows what they do.
 */
export async function closeOwnAccount(
  ctx: UserContext & { caller: Caller },
  { username: typed }: { username: string },
): Promise<{ erase_at: string }> {
  const { userId, username } = ctx.principal
  if (typed.trim().toLowerCase() !== username)
    throw new Problem('invalid_request', 'username: type the name of your account.')
  return transact(ctx, async (tx) => {
    const isOpen = (await lockOpen(tx.db, userId)).length === 1
    if (isOpen) await holdSession(tx, tx.principal.session)
    const [closed] = isOpen ? await close(tx.db, userId) : []
    if (!closed) throw new Problem('user_not_found', 'This account no longer exists.')
    await endWhatIsOpen(tx, { userId, username })
    await endAllowed(tx, userId)
    await leaveApplications(tx, userId)
    // a way back of those whose address was replaced waits with the account, and is there when the operator opens it for them
    await mailUserWidely(tx, 'account_closed', userId, { ...changeFacts(tx, username), eraseAt: closed.erase_at })
    await audit(tx, { actor: { type: 'user', id: userId }, action: 'user.closed', userId, targetId: userId })
    return closed
  })
}

/** What the person has allowed others, and links that were on their way. */
async function endAllowed(tx: InTransaction<UserContext>, userId: string): Promise<void> {
  await endLinks(tx, userId, 'verify', 'reset')
  const actor = { type: 'user', id: userId } as const
  await revokeConsents(tx, { userId }, { reason: 'user', actor })
}
