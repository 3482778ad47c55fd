import { endOtherSessions, noteAuthentication } from '../access/sessions.ts'
import type { UserContext } from '../core/context.ts'
import type { InTransaction } from '../core/transaction.ts'
import { makeRecoveryCodes } from './recovery-codes.ts'
import type { NewFactor } from './resources.ts'
import { hasFactor, noteProtection } from './standing.ts'
import { tellOfFactors } from './tell.ts'

const methods = { totp: 'otp', passkey: 'hwk' } as const

/**
 * Adds a factor that the caller has just proved, by `write`, while the user is locked. With the first one come recovery codes,
 * and every session but this one ends: from now on, none was begun by the password alone.
 */
export async function addFactor(
  tx: InTransaction<UserContext>,
  kind: keyof typeof methods,
  write: () => Promise<void>,
): Promise<NewFactor> {
  const { userId, username, session } = tx.principal
  const isFirst = !(await hasFactor(tx, userId))
  await write()
  await tellOfFactors(tx, { userId, username, action: 'factor.added', what: `${kind}_added` })
  if (session) await noteAuthentication(tx, session.id, methods[kind])
  if (!isFirst) return { recovery_codes: null }
  await noteProtection(tx, userId, tx.now())
  await endOtherSessions(tx, userId, session?.id)
  return { recovery_codes: await makeRecoveryCodes(tx, userId) }
}
