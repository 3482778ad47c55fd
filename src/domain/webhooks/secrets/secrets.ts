import { and, desc, eq, isNull, not, or } from 'drizzle-orm'
import { webhookSecrets } from '../../../db/schema/index.ts'
import type { Context } from '../../core/context.ts'
import { hasPassed } from '../../core/db-now.ts'
import { newId } from '../../core/ids.ts'
import type { Keyring, Sealed } from '../../core/keyring.ts'
import type { InTransaction } from '../../core/transaction.ts'
import { newSigningSecret, signingKey } from './sign.ts'

/** Makes a secret for a subscription and keeps it sealed. What is returned is shown once and nowhere else. */
export async function keepNewSecret({ db, keyring, now }: InTransaction, subscriptionId: string): Promise<string> {
  const secret = newSigningSecret()
  const createdAt = now()
  const sealed = keyring.seal('webhook-secret', subscriptionId, secret)
  await db.insert(webhookSecrets).values({ id: newId('secret', createdAt), subscriptionId, createdAt, ...sealed })
  return secret
}

/** The secrets that sign for a subscription at the moment, sealed, the current one first. */
export async function livingSecrets({ db }: Pick<Context, 'db'>, subscriptionId: string) {
  const { expiresAt } = webhookSecrets
  return db
    .select()
    .from(webhookSecrets)
    .where(and(eq(webhookSecrets.subscriptionId, subscriptionId), or(isNull(expiresAt), not(hasPassed(expiresAt)))))
    .orderBy(desc(webhookSecrets.id))
}

export type SealedSecret = Sealed & { id: string }

const OPEN_MS = 60_000
const OPEN_MAX = 10_000

/** Opened signing keys, each kept in memory for a minute. */
export class OpenedSecrets {
  readonly #keyring: Keyring
  readonly #opened = new Map<string, { key: Buffer; until: number }>()

  constructor(keyring: Keyring) {
    this.#keyring = keyring
  }

  /** The key of a sealed secret. Throws when its key has left `SECRET_KEYS`. */
  open(subscriptionId: string, { id, ...sealed }: SealedSecret): Buffer {
    const now = performance.now()
    const known = this.#opened.get(id)
    if (known && known.until > now) return known.key
    const key = signingKey(this.#keyring.open('webhook-secret', subscriptionId, sealed))
    if (this.#opened.size >= OPEN_MAX) this.#opened.clear()
    this.#opened.set(id, { key, until: now + OPEN_MS })
    return key
  }

  /** Those keys that open; what does not is told to `onFailure`, for one that is left still signs. */
  openAll(subscriptionId: string, secrets: readonly SealedSecret[], onFailure: (error: unknown) => void): Buffer[] {
    return secrets.flatMap((secret) => {
      try {
        return [this.open(subscriptionId, secret)]
      } catch (error) {
        onFailure(error)
        return []
      }
    })
  }

  /** Drops what has been in memory for a minute. */
  forgetOld() {
    const now = performance.now()
    for (const [id, { until }] of this.#opened) if (until <= now) this.#opened.delete(id)
  }
}
