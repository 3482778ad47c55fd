import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { recoveryCodes } from '../../db/schema/index.ts'
import { statement } from '../../db/statement.ts'
import { BASE32 } from '../../db/time-prefix.ts'
import { lockOwnAccount } from '../access/account-locks.ts'
import type { UserContext } from '../core/context.ts'
import { sha256 } from '../core/digest.ts'
import { Problem } from '../core/problem.ts'
import { type InTransaction, transact } from '../core/transaction.ts'
import { hasFactor } from './standing.ts'
import { tellOfFactors } from './tell.ts'

const COUNT = 10
/** 80 bits: nobody guesses one, so a hash without salt is enough. */
const DIGITS = 16
const SHAPE = new RegExp(`^[${BASE32}]{${DIGITS}}$`)

/** Makes ten codes and returns them; those from before end. To be shown once. */
export async function makeRecoveryCodes(tx: InTransaction, userId: string): Promise<string[]> {
  const createdAt = tx.now()
  const codes = Array.from({ length: COUNT }, newCode)
  await tx.db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  await tx.db.insert(recoveryCodes).values(codes.map((code) => ({ hash: hashOf(userId, code), userId, createdAt })))
  return codes.map((code) => (code.match(/.{4}/g) ?? []).join('-'))
}

/** New codes in place of the caller's. Throws `forbidden` for whoever has no factor that could be lost. */
export async function renewRecoveryCodes(ctx: UserContext): Promise<{ recovery_codes: string[] }> {
  const { userId, username } = ctx.principal
  return transact(ctx, async (tx) => {
    await lockOwnAccount(tx)
    if (!(await hasFactor(tx, userId))) throw new Problem('forbidden', 'Set up a second factor first.')
    await tellOfFactors(tx, { userId, username, action: 'recovery_codes.created', what: 'recovery_codes_made' })
    return { recovery_codes: await makeRecoveryCodes(tx, userId) }
  })
}

const use = statement<[hash: Buffer, userId: string], { hash: Buffer }>(`
  update recovery_codes set used_at = statement_timestamp()
   where hash = $1 and user_id = $2 and used_at is null returning hash`)

/** Whose code it must be. */
export type CodeOwner = { userId: string; username: string }

/** Whether this is a code of the user that was never used. Then it is used. */
export async function consumeRecoveryCode(
  tx: InTransaction,
  { userId, username }: CodeOwner,
  typed: string,
): Promise<boolean> {
  const code = typed.toLowerCase().replaceAll('o', '0').replace(/[il]/g, '1')
  if (!SHAPE.test(code)) return false
  const [used] = await use(tx.db, hashOf(userId, code), userId)
  if (!used) return false
  await tellOfFactors(tx, { userId, username, action: 'recovery_codes.used', what: 'recovery_code_used' })
  return true
}

const newCode = () => Array.from(randomBytes(DIGITS), (byte) => BASE32[byte % 32]).join('')

const hashOf = (userId: string, code: string) => sha256(`recovery code\0${userId}\0${code}`)
