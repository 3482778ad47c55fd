import { statement } from '../../db/statement.ts'
import { DAY_MS } from '../../time/durations.ts'
import { endPendingLoginsOf } from '../access/pending-logins.ts'
import type { Context } from '../core/context.ts'
import type { InTransaction } from '../core/transaction.ts'
import { noteProtection } from './standing.ts'
import { tellOfFactors } from './tell.ts'

/**
 * For so long after an account got its first factor whoever has its confirmed address can take all of them away: somebody who had
 * the account for a moment would keep it by a passkey of their own, and lock its owner out. After that a factor is needed to add
 * or replace one, and protects from whoever reads the mails.
 */
const RECENT_PROTECTION_DAYS = 7

/** An account that is protected since after this is protected since lately. */
export const recentProtectionSince = ({ now }: Pick<Context, 'now'>): Date =>
  new Date(now().getTime() - RECENT_PROTECTION_DAYS * DAY_MS)

const forget = statement<[userId: string, since: Date], { forgotten: number }>(`
  with recent as (select id from users where id = $1 and protected_since > $2::timestamptz),
  of_passkeys as (delete from passkeys using recent where user_id = recent.id returning 1),
  of_totp as (delete from totp_factors using recent where user_id = recent.id returning 1),
  of_codes as (delete from recovery_codes using recent where user_id = recent.id returning 1)
  select ((select count(*) from of_passkeys) + (select count(*) from of_totp) + (select count(*) from of_codes))::int as forgotten`)

/** Takes away the factors of an account that has had none until lately. It is locked by the caller. */
export async function forgetRecentFactors(
  tx: InTransaction<Context>,
  { id: userId, username }: { id: string; username: string },
): Promise<void> {
  const [found] = await forget(tx.db, userId, recentProtectionSince(tx))
  if (!found?.forgotten) return
  await noteProtection(tx, userId, null)
  await endPendingLoginsOf(tx, userId)
  await tellOfFactors(tx, { userId, username, action: 'factor.removed', what: 'recent_removed' })
}
