import { and, eq, not } from 'drizzle-orm'
import { idempotencyKeys } from '../../db/schema/index.ts'
import { DAY_MS } from '../../time/durations.ts'
import type { Context } from './context.ts'
import { hasPassed, inMs } from './db-now.ts'
import { Problem } from './problem.ts'
import type { InTransaction } from './transaction.ts'

const KEPT_MS = DAY_MS

/** `owner` is the credential's application and user, `fingerprint` stands for the whole request. */
export type IdempotentRequest = { owner: string; key: string; fingerprint: Buffer }

/**
 * The response to the first attempt, or undefined when this is the first. Waits for an attempt that another transaction
 * is making: PostgreSQL holds back the second insert of a key until the first transaction has ended. Throws
 * `idempotency_mismatch`.
 */
export async function claimIdempotencyKey(tx: InTransaction, attempt: IdempotentRequest): Promise<string | undefined> {
  const { owner, key, fingerprint } = attempt
  const claim = { fingerprint, answer: null, keyId: null, expiresAt: inMs(KEPT_MS) }
  const [claimed] = await tx.db
    .insert(idempotencyKeys)
    .values({ owner, key, ...claim })
    .onConflictDoUpdate({
      target: [idempotencyKeys.owner, idempotencyKeys.key],
      set: claim,
      setWhere: hasPassed(idempotencyKeys.expiresAt),
    })
    .returning({ key: idempotencyKeys.key })
  return claimed ? undefined : ((await keptResponse(tx, attempt)) ?? refuseOther())
}

/** The response to an attempt that has ended, or undefined while there is none. Throws `idempotency_mismatch`. */
export async function keptResponse(
  { db, keyring }: Pick<Context, 'db' | 'keyring'>,
  { owner, key, fingerprint }: IdempotentRequest,
): Promise<string | undefined> {
  const isKept = and(sameKey(owner, key), not(hasPassed(idempotencyKeys.expiresAt)))
  const [first] = await db.select().from(idempotencyKeys).where(isKept)
  if (!first) return undefined
  if (!first.answer || first.keyId === null || !first.fingerprint.equals(fingerprint)) return refuseOther()
  return keyring.open('idempotent-answer', owner, { ciphertext: first.answer, keyId: first.keyId })
}

function refuseOther(): never {
  throw new Problem('idempotency_mismatch', 'Idempotency-Key: was used for another request; take a new one.')
}

/** Stores the response to the first attempt, encrypted: it may hold a signing secret. */
export async function storeResponse({ db, keyring }: InTransaction, { owner, key }: IdempotentRequest, answer: string) {
  const { ciphertext, keyId } = keyring.seal('idempotent-answer', owner, answer)
  await db.update(idempotencyKeys).set({ answer: ciphertext, keyId }).where(sameKey(owner, key))
}

const sameKey = (owner: string, key: string) => and(eq(idempotencyKeys.owner, owner), eq(idempotencyKeys.key, key))
