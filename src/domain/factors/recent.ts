import { statement } from '../../db/statement.ts'
import { DAY_MS } from '../../time/durations.ts'
import { endPendingLoginsOf } from '../access/pending-logins.ts'
import type { Context } from '../core/context.ts'
import type { InTransaction } from '../core/transaction.ts'
import { hasFactor } from './standing.ts'
import { tellOfFactors } from './tell.ts'

/**
 * For so long after it was added whoever has the confirmed address of an account can take a factor away: somebody who had the
 * account for a moment would keep it by a passkey of their own, and lock its owner out. Older ones protect from who has the address.
 */
const RECENT_FACTOR_DAYS = 7

/** What was made after this is recent. */
export const recentFactorsSince = ({ now }: Pick<Context, 'now'>): Date =>
  new Date(now().getTime() - RECENT_FACTOR_DAYS * DAY_MS)

const forget = statement<[userId: string, since: Date], { forgotten: number }>(`
  with of_passkeys as (delete from passkeys where user_id = $1 and created_at > $2::timestamptz returning 1),
  of_totp as (delete from totp_factors where user_id = $1 and created_at > $2::timestamptz returning 1),
  of_codes as (delete from recovery_codes where user_id = $1 and created_at > $2::timestamptz returning 1)
  select ((select count(*) from of_passkeys) + (select count(*) from of_totp) + (select count(*) from of_codes))::int as forgotten`)
const forgetCodes = statement<[userId: string], never>('delete from recovery_codes where user_id = $1')

/** Takes away what was added lately; with the last factor go the recovery codes. The account is locked by the caller. */
export async function forgetRecentFactors(
  tx: InTransaction<Context>,
  { id: userId, username }: { id: string; username: string },
): Promise<void> {
  const [found] = await forget(tx.db, userId, recentFactorsSince(tx))
  if (!found?.forgotten) return
  if (!(await hasFactor(tx, userId))) {
    await forgetCodes(tx.db, userId)
    await endPendingLoginsOf(tx, userId)
  }
  await tellOfFactors(tx, { userId, username, action: 'factor.removed', what: 'recent_removed' })
}
