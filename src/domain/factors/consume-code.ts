import type { InTransaction } from '../core/transaction.ts'
import { bareCode, consumeTotpCode } from './authenticator.ts'
import { type CodeOwner, consumeRecoveryCode } from './recovery-codes.ts'

/** Whether a code has the form of an authenticator's: few enough of them that they can be guessed. */
export const isGuessable = (typed: string): boolean => /^\d{6}$/.test(bareCode(typed))

/** Whether this is a living code of the user, of the authenticator or for recovery. It counts once. */
export async function consumeCode(tx: InTransaction, owner: CodeOwner, typed: string): Promise<boolean> {
  const code = bareCode(typed)
  return isGuessable(code) ? consumeTotpCode(tx, owner.userId, code) : consumeRecoveryCode(tx, owner, code)
}
