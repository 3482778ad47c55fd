import { sql } from 'drizzle-orm'
import { check, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytea, instant, key } from './columns.ts'

/** Answers by `Idempotency-Key` and by the credential's client and user. Encrypted, because one kind contains a signing secret. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    owner: key().notNull(),
    key: key().notNull(),
    fingerprint: bytea().notNull(),
    answer: bytea(),
    keyId: text(),
    expiresAt: instant().notNull(),
  },
  (table) => [
    primaryKey({ name: 'idempotency_keys_pkey', columns: [table.owner, table.key] }),
    index('idempotency_keys_expiry').on(table.expiresAt),
    check('idempotency_keys_key_length', sql`char_length(${table.key}) between 1 and 255`),
    check('idempotency_keys_fingerprint_length', sql`length(${table.fingerprint}) = 32`),
  ],
)
