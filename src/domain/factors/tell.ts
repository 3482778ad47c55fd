import { type AuditEntry, audit } from '../audit/audit.ts'
import type { Caller } from '../core/caller.ts'
import type { Context } from '../core/context.ts'
import type { InTransaction } from '../core/transaction.ts'
import type { FactorChange } from '../mail/account-mails.ts'
import { changeFacts } from '../mail/change-facts.ts'
import { mailUser } from '../mail/mail-user.ts'

type Changed = {
  userId: string
  username: string
  what: FactorChange
  action: Extract<AuditEntry['action'], `factor.${string}` | `recovery_codes.${string}`>
  by?: AuditEntry['actor']
}

/** Writes a change of an account's factors into its security log, and tells its owner by mail. */
export async function tellOfFactors(
  tx: InTransaction<Context & { caller?: Caller }>,
  { userId, username, what, action, by = { type: 'user', id: userId } }: Changed,
): Promise<void> {
  await audit(tx, { actor: by, action, userId, targetId: userId, details: { what } })
  await mailUser(tx, 'factors_changed', userId, { ...changeFacts(tx, username), what })
}
