import { statement } from '../../db/statement.ts'
import { actorBehind, audit } from '../audit/audit.ts'
import type { OwnerContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { transact } from '../core/transaction.ts'
import { DAYS_DEFAULT, insertKey, lockLiving } from './api-keys.ts'
import type { CreatedApiKey } from './resources.ts'

const endAfterOverlap = statement<[id: string, replacedBy: string], never>(`
  update api_keys
     set replaced_by = $2, expires_at = least(expires_at, statement_timestamp() + interval '24 hours')
   where id = $1`)

/**
 * Replaces a key by a new one with the same name and scopes. The old one works for another day. Throws `not_found` for
 * a key that is not living, `invalid_request` for one that was rolled before.
 */
export async function rollKey(
  ctx: OwnerContext,
  { id, expires_in_days: days = DAYS_DEFAULT }: { id: string; expires_in_days?: number | undefined },
): Promise<CreatedApiKey> {
  return transact(ctx, async (tx) => {
    const { clientId, name, scopes, replacedBy } = await lockLiving(tx, id)
    if (replacedBy !== null) throw new Problem('invalid_request', `id: was replaced by "${replacedBy}" already.`)
    const created = await insertKey(tx, { clientId, name, scopes, days })
    await endAfterOverlap(tx.db, id, created.id)
    const details = { replaced_by: created.id }
    await audit(tx, { actor: actorBehind(tx.principal), action: 'key.rolled', clientId, targetId: id, details })
    return created
  })
}
