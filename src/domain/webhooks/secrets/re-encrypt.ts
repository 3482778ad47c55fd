import { asc, eq, ne } from 'drizzle-orm'
import { webhookSecrets as secrets } from '../../../db/schema/index.ts'
import type { Context } from '../../core/context.ts'
import { transact } from '../../core/transaction.ts'

const CHUNK_ROWS = 100
const SAMPLE_ROWS = 20

/**
 * Re-encrypts signing secrets under the current key of `SECRET_KEYS`, so that older keys can be removed. Safe in several
 * processes at once. Returns how many it re-encrypted. Throws when the key of one has been removed already.
 */
export async function reEncryptSecrets(ctx: Context): Promise<number> {
  for (let reEncrypted = 0; ; ) {
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
    reEncrypted += chunk
    if (chunk < CHUNK_ROWS) return reEncrypted
  }
}

/** Throws when `SECRET_KEYS` cannot decrypt a sample of the signing secrets: better at the start than at a delivery. */
export async function requireReadableSecrets({ db, keyring }: Context): Promise<void> {
  const sample = await db.select().from(secrets).orderBy(asc(secrets.id)).limit(SAMPLE_ROWS)
  for (const { subscriptionId, ciphertext, keyId } of sample) {
    keyring.open('webhook-secret', subscriptionId, { ciphertext, keyId })
  }
}
