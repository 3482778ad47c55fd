import { statement } from '../../../db/statement.ts'
import { returnApplications } from '../../applications/owner-leaves.ts'
import { audit } from '../../audit/audit.ts'
import type { Context } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import { transact } from '../../core/transaction.ts'
import { changeFacts } from '../../mail/change-facts.ts'
import { mailUser } from '../../mail/mail-user.ts'

const reopen = statement<[name: string], { id: string; username: string }>(`
  update users set disabled_at = null, erase_at = null, updated_at = statement_timestamp()
   where username = lower($1) and erase_at > statement_timestamp() returning id, username`)

/**
 * Opens an account again which its owner has closed less than 30 days ago, for somebody whom the operator knows. What has stopped
 * with it works again, but for webhooks; sessions, grants and applications that were handed on do not come back. Throws
 * `user_not_found` when it is open, closed by the operator (`enableUser`), or about to be erased.
 */
export async function reopenUser(ctx: Context, name: string): Promise<{ id: string }> {
  return transact(ctx, async (tx) => {
    const [opened] = await reopen(tx.db, name)
    if (!opened) throw new Problem('user_not_found', `There is no account "${name}" that can be opened again.`)
    const { id, username } = opened
    await returnApplications(tx, id)
    await audit(tx, { actor: { type: 'operator' }, action: 'user.reopened', userId: id, targetId: id })
    await mailUser(tx, 'account_reopened', id, changeFacts(tx, username))
    return { id }
  })
}
