import { sql } from 'drizzle-orm'
import { bigint, boolean, check, index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { bytea, instant, key } from './columns.ts'
import { users } from './people.ts'

const userId = () => key().references(() => users.id, { onDelete: 'cascade' })
/** The secret of an authenticator, encrypted. */
const sealed = () => ({ ciphertext: bytea().notNull(), keyId: text().notNull() })

/** An authenticator app (RFC 6238) as second factor: at most one of each user. */
export const totpFactors = pgTable(
  'totp_factors',
  {
    userId: userId().primaryKey(),
    ...sealed(),
    /** The last time step whose code was used: no code of it or of an earlier one counts any more. */
    lastStep: integer().notNull(),
    createdAt: instant().notNull(),
    lastUsedAt: instant().notNull(),
  },
  (table) => [index('totp_factors_key').on(table.keyId)],
)

/** An authenticator that nobody has confirmed by a code: it counts for nothing. */
export const totpEnrolments = pgTable(
  'totp_enrolments',
  { userId: userId().primaryKey(), ...sealed(), expiresAt: instant().notNull() },
  (table) => [index('totp_enrolments_expiry').on(table.expiresAt)],
)

/** For whoever has lost a factor. Only their SHA-256 is stored: they are random. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    hash: bytea().primaryKey(),
    userId: userId().notNull(),
    createdAt: instant().notNull(),
    usedAt: instant(),
  },
  (table) => [
    index('recovery_codes_user').on(table.userId),
    check('recovery_codes_hash_length', sql`length(${table.hash}) = 32`),
  ],
)

/** Passkeys (WebAuthn, level 3). */
export const passkeys = pgTable(
  'passkeys',
  {
    id: key().primaryKey(),
    userId: userId().notNull(),
    credentialId: bytea().notNull().unique('passkeys_credential_unique'),
    /** As COSE has it. */
    publicKey: bytea().notNull(),
    /** How often it has signed, as it says itself; 0 for those that do not count. */
    counter: bigint({ mode: 'number' }).notNull(),
    transports: text().array().notNull(),
    /** Whether it is kept with others of its owner, as by a password manager. */
    isBackedUp: boolean().notNull(),
    name: text().notNull(),
    createdAt: instant().notNull(),
    lastUsedAt: instant(),
  },
  (table) => [
    index('passkeys_user').on(table.userId, table.id),
    check('passkeys_name_length', sql`char_length(${table.name}) between 1 and 100`),
    check('passkeys_credential_length', sql`length(${table.credentialId}) between 1 and 1023`),
  ],
)

/** Logins whose password was right and whose second factor is still asked for. Only the SHA-256 of the cookie is stored. */
export const pendingLogins = pgTable(
  'pending_logins',
  { hash: bytea().primaryKey(), userId: userId().notNull(), expiresAt: instant().notNull() },
  (table) => [
    index('pending_logins_user').on(table.userId, table.expiresAt),
    index('pending_logins_expiry').on(table.expiresAt),
    check('pending_logins_hash_length', sql`length(${table.hash}) = 32`),
  ],
)
