import { and, eq, not } from 'drizzle-orm'
import { totpEnrolments, totpFactors } from '../../db/schema/index.ts'
import { statement } from '../../db/statement.ts'
import { lockOwnAccount } from '../access/account-locks.ts'
import type { UserContext } from '../core/context.ts'
import { dbNow, hasPassed, inMs } from '../core/db-now.ts'
import { Problem } from '../core/problem.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { addFactor } from './add-factor.ts'
import type { NewFactor, TotpEnrolment } from './resources.ts'
import { newTotpSecret, openTotp, qrCodeOf, sealTotp, stepOfCode, totpAddress } from './totp.ts'

const ENROLMENT_MS = 15 * 60_000

/** Begins to set up an authenticator. Until a code confirms it, within a quarter of an hour, nothing changes. */
export async function startTotp({ db, keyring, principal }: UserContext): Promise<TotpEnrolment> {
  const { userId, username } = principal
  const secret = newTotpSecret()
  const enrolment = { ...sealTotp(keyring, userId, secret), expiresAt: inMs(ENROLMENT_MS) }
  await db
    .insert(totpEnrolments)
    .values({ userId, ...enrolment })
    .onConflictDoUpdate({ target: totpEnrolments.userId, set: enrolment })
  const uri = totpAddress(secret, username)
  return { secret, uri, qr: qrCodeOf(uri) }
}

/**
 * Makes the authenticator that is being set up the caller's second factor, in place of the one that was. Throws
 * `invalid_request` for a wrong code, and when nothing is being set up.
 */
export async function confirmTotp(ctx: UserContext, { code }: { code: string }): Promise<NewFactor> {
  const { userId } = ctx.principal
  return transact(ctx, async (tx) => {
    await lockOwnAccount(tx)
    const isTheirs = eq(totpEnrolments.userId, userId)
    const [enrolment] = await tx.db
      .select()
      .from(totpEnrolments)
      .where(and(isTheirs, not(hasPassed(totpEnrolments.expiresAt))))
    if (!enrolment) throw new Problem('invalid_request', 'code: there is no authenticator to confirm; begin again.')
    const lastStep = stepOfCode(openTotp(tx.keyring, userId, enrolment), bareCode(code), tx.now())
    if (lastStep === undefined)
      throw new Problem('invalid_request', 'code: is not right. Check the clock of your device, and take the next one.')
    return addFactor(tx, 'totp', async () => {
      const { ciphertext, keyId } = enrolment
      const factor = { ciphertext, keyId, lastStep, createdAt: tx.now(), lastUsedAt: dbNow }
      await tx.db.delete(totpEnrolments).where(isTheirs)
      await tx.db
        .insert(totpFactors)
        .values({ userId, ...factor })
        .onConflictDoUpdate({ target: totpFactors.userId, set: factor })
    })
  })
}

/** A code without the spaces and dashes with which it may have been shown. */
export const bareCode = (typed: string): string => typed.replace(/[\s-]/g, '')

const consumeStep = statement<[userId: string, step: number], { user_id: string }>(`
  update totp_factors set last_step = $2, last_used_at = statement_timestamp()
   where user_id = $1 and last_step < $2 returning user_id`)

/** Whether this is a code of the user's authenticator that is newer than the last one used, in any process. Then it is used. */
export async function consumeTotpCode(tx: InTransaction, userId: string, code: string): Promise<boolean> {
  const [factor] = await tx.db.select().from(totpFactors).where(eq(totpFactors.userId, userId))
  const step = factor && stepOfCode(openTotp(tx.keyring, userId, factor), code, tx.now())
  return step !== undefined && (await consumeStep(tx.db, userId, step)).length === 1
}
