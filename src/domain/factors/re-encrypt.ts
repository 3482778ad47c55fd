import { eq, ne } from 'drizzle-orm'
import { totpFactors } from '../../db/schema/index.ts'
import type { Context } from '../core/context.ts'
import { transact } from '../core/transaction.ts'
import { openTotp, sealTotp } from './totp.ts'

const CHUNK_ROWS = 100

/**
 * Re-encrypts the secrets of authenticators under the current key of `SECRET_KEYS`, so that older keys can be removed. Safe in
 * several processes at once. Returns how many it re-encrypted. Throws when the key of one has been removed already.
 */
export async function reEncryptFactors(ctx: Context): Promise<number> {
  for (let reEncrypted = 0; ; ) {
    const chunk = await transact(ctx, async ({ db, keyring }) => {
      const old = await db
        .select()
        .from(totpFactors)
        .where(ne(totpFactors.keyId, keyring.currentId))
        .limit(CHUNK_ROWS)
        .for('update', { skipLocked: true })
      for (const { userId, ciphertext, keyId } of old) {
        const secret = openTotp(keyring, userId, { ciphertext, keyId })
        await db
          .update(totpFactors)
          .set(sealTotp(keyring, userId, secret))
          .where(eq(totpFactors.userId, userId))
      }
      return old.length
    })
    reEncrypted += chunk
    if (chunk < CHUNK_ROWS) return reEncrypted
  }
}
