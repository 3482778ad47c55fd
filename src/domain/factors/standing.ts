import { statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'
import type { InTransaction } from '../core/transaction.ts'

const setProtected = statement<[userId: string, since: Date | null], never>(
  'update users set protected_since = $2::timestamptz where id = $1',
)

/** Notes that an account has its first factor, or none any more. */
export async function noteProtection({ db }: InTransaction, userId: string, since: Date | null): Promise<void> {
  await setProtected(db, userId, since)
}

const findFactor = statement<[userId: string], { has: boolean }>(`
  select exists (select from totp_factors where user_id = $1) or exists (select from passkeys where user_id = $1) as has`)

/** Whether an account has a second factor, so that its password alone opens nothing. */
export async function hasFactor({ db }: Pick<Context, 'db'>, userId: string): Promise<boolean> {
  const [found] = await findFactor(db, userId)
  return found?.has === true
}
