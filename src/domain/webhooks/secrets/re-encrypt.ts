import { asc, eq, ne } from 'drizzle-orm'
import { webhookSecrets as secrets } from '../../../db/schema/index.ts'
import type { Context } from '../../core/context.ts'
import { transact } from '../../core/transaction.ts'

const CHUNK_ROWS = 100
const SAMPLE_ROWS = 20

/**
 * Seals signing secrets anew under the current key of `SECRET_KEYS`, so that an old one can leave it. Safe in several
 * processes at once. Returns how many there were. Throws when a key is already gone.
 */
export async function reEncryptSecrets(ctx: Context): Promise<number> {
  for (let resealed = 0; ; ) {
    const chunk = await transact(ctx, async ({ db, keyring }) => {
      const old = await db
        .select()
        .from(secrets)
        .where(ne(secrets.keyId, keyring.currentId))
        .orderBy(asc(secrets.id))
        .limit(CHUNK_ROWS)
        .for('update', { skipLocked: true })
      for (const { id, subscriptionId, ciphertext, keyId } of old) {
        const secret = keyring.open('webhook-secret', subscriptionId, { ciphertext, keyId })
        await db
          .update(secrets)
          .set(keyring.seal('webhook-secret', subscriptionId, secret))
          .where(eq(secrets.id, id))
      }
      return old.length
    })
    resealed += chunk
    if (chunk < CHUNK_ROWS) return resealed
  }
}

/** Throws one line when `SECRET_KEYS` cannot open a sample of the signing secrets: better at the start than at a delivery. */
export async function requireReadableSecrets({ db, keyring }: Context): Promise<void> {
  const sample = await db.select().from(secrets).orderBy(asc(secrets.id)).limit(SAMPLE_ROWS)
  for (const { subscriptionId, ciphertext, keyId } of sample) {
    keyring.open('webhook-secret', subscriptionId, { ciphertext, keyId })
  }
}
