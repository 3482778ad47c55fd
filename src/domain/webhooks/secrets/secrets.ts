import { and, desc, eq, isNull, not, or } from 'drizzle-orm'
import { webhookSecrets } from '../../../db/schema/index.ts'
import type { Context } from '../../core/context.ts'
import { hasPassed } from '../../core/db-now.ts'
import { newId } from '../../core/ids.ts'
import type { Keyring, Sealed } from '../../core/keyring.ts'
import type { InTransaction } from '../../core/transaction.ts'
import { newSigningSecret, signingKey } from './sign.ts'

/** Creates a secret for a subscription and stores it encrypted. The returned text is shown once and never again. */
export async function storeNewSecret({ db, keyring, now }: InTransaction, subscriptionId: string): Promise<string> {
  const secret = newSigningSecret()
  const createdAt = now()
  const sealed = keyring.seal('webhook-secret', subscriptionId, secret)
  await db.insert(webhookSecrets).values({ id: newId('secret', createdAt), subscriptionId, createdAt, ...sealed })
  return secret
}

/** The secrets with which a subscription is signed at the moment, encrypted, the newest first. */
export async function livingSecrets({ db }: Pick<Context, 'db'>, subscriptionId: string) {
  const { expiresAt } = webhookSecrets
  return db
    .select()
    .from(webhookSecrets)
    .where(and(eq(webhookSecrets.subscriptionId, subscriptionId), or(isNull(expiresAt), not(hasPassed(expiresAt)))))
    .orderBy(desc(webhookSecrets.id))
}

export type SealedSecret = Sealed & { id: string }

const CACHED_MS = 60_000
const CACHED_MAX = 10_000

/** Decrypted signing keys, each cached in memory for a minute. */
export class OpenedSecrets {
  readonly #keyring: Keyring
  readonly #opened = new Map<string, { key: Buffer; until: number }>()

  constructor(keyring: Keyring) {
    this.#keyring = keyring
  }

  /** The signing key in an encrypted secret. Throws when the key that encrypted it has been removed from `SECRET_KEYS`. */
  open(subscriptionId: string, { id, ...sealed }: SealedSecret): Buffer {
    const now = performance.now()
    const cached = this.#opened.get(id)
    if (cached && cached.until > now) return cached.key
    const key = signingKey(this.#keyring.open('webhook-secret', subscriptionId, sealed))
    if (this.#opened.size >= CACHED_MAX) this.#opened.clear()
    this.#opened.set(id, { key, until: now + CACHED_MS })
    return key
  }

  /** The keys of those secrets that can be decrypted, since one is enough to sign. `onFailure` is told of each other. */
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

  /** Drops keys that have been cached for a minute. */
  forgetOld() {
    const now = performance.now()
    for (const [id, { until }] of this.#opened) if (until <= now) this.#opened.delete(id)
  }
}
