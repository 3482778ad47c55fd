import { sql } from 'drizzle-orm'
import { boolean, check, index, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { clients } from './applications.ts'
import { bytea, instant, key } from './columns.ts'
import { users } from './people.ts'

const clientId = () =>
  key()
    .notNull()
    .references(() => clients.id, { onDelete: 'cascade' })
/** How and when the user had logged in to the session that allowed it, on a page that asked; null where none did, and for what is older. */
const login = () => ({ authenticatedAt: instant(), amr: text().array() })
/** The resource that tokens are for (RFC 8707), as a path of ours, empty for all of `/v1`; null when none was named. */
const resource = () => text()
const grantId = () => key().references(() => grants.id, { onDelete: 'cascade' })

/** One consent of a user to an application. All its tokens are revoked together when a token is reused. */
export const grants = pgTable(
  'grants',
  {
    id: key().primaryKey(),
    clientId: clientId(),
    userId: key()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    scopes: text().array().notNull(),
    /** The key that a public client must prove at every refresh (RFC 9449, section 5). */
    dpopJkt: text(),
    ...login(),
    resource: resource(),
    createdAt: instant().notNull(),
    expiresAt: instant().notNull(),
    revokedAt: instant(),
    revokeReason: text({ enum: ['user', 'client', 'code_reuse', 'refresh_reuse', 'password_changed'] }),
  },
  (table) => [
    index('grants_user').on(table.userId, table.id).where(sql`${table.revokedAt} is null`),
    index('grants_client').on(table.clientId),
    index('grants_revoked').on(table.revokedAt).where(sql`${table.revokedAt} is not null`),
    // what a webhook about a user depends on, asked for each event
    index('grants_webhooks')
      .on(table.clientId, table.userId, table.expiresAt)
      .where(sql`${table.revokedAt} is null and ${table.scopes} @> '{webhook:write}'::text[]`),
    check(
      'grants_revoke_reason_known',
      sql`${table.revokeReason} in ('user','client','code_reuse','refresh_reuse','password_changed')`,
    ),
    check('grants_revoked_for_reason', sql`(${table.revokedAt} is null) = (${table.revokeReason} is null)`),
  ],
)

export const authorizationCodes = pgTable(
  'authorization_codes',
  {
    hash: bytea().primaryKey(),
    clientId: clientId(),
    userId: key()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    redirectUri: text().notNull(),
    scopes: text().array().notNull(),
    codeChallenge: text().notNull(),
    dpopJkt: text(),
    /** Goes into the ID token as it came (OpenID Connect Core, section 3.1.2.1). */
    nonce: text(),
    ...login(),
    resource: resource(),
    expiresAt: instant().notNull(),
    consumedAt: instant(),
    grantId: grantId(),
  },
  (table) => [
    index('authorization_codes_expiry').on(table.expiresAt),
    index('authorization_codes_client').on(table.clientId),
    index('authorization_codes_grant').on(table.grantId).where(sql`${table.grantId} is not null`),
    check('authorization_codes_hash_length', sql`length(${table.hash}) = 32`),
    check('authorization_codes_challenge_length', sql`char_length(${table.codeChallenge}) = 43`),
  ],
)

/** Used tokens stay until their grant ends, so that a second use is detected. */
export const refreshTokens = pgTable(
  'refresh_tokens',
  {
    hash: bytea().primaryKey(),
    grantId: grantId().notNull(),
    expiresAt: instant().notNull(),
    consumedAt: instant(),
    successorHash: bytea(),
  },
  (table) => [
    index('refresh_tokens_grant').on(table.grantId),
    check('refresh_tokens_hash_length', sql`length(${table.hash}) = 32`),
  ],
)

/** Tokens of `client_credentials` have no user and no grant. */
export const accessTokens = pgTable(
  'access_tokens',
  {
    hash: bytea().primaryKey(),
    clientId: clientId(),
    userId: key().references(() => users.id, { onDelete: 'cascade' }),
    grantId: grantId(),
    scopes: text().array().notNull(),
    dpopJkt: text(),
    resource: resource(),
    expiresAt: instant().notNull(),
    revokedAt: instant(),
  },
  (table) => [
    index('access_tokens_grant').on(table.grantId).where(sql`${table.grantId} is not null`),
    index('access_tokens_expiry').on(table.expiresAt),
    index('access_tokens_client').on(table.clientId),
    check('access_tokens_hash_length', sql`length(${table.hash}) = 32`),
    check('access_tokens_user_by_grant', sql`(${table.userId} is null) = (${table.grantId} is null)`),
  ],
)

/** The `jti` of assertions (RFC 7523) and DPoP proofs (RFC 9449), so that every process refuses a second use. */
export const usedAssertions = pgTable(
  'used_assertions',
  { hash: bytea().primaryKey(), expiresAt: instant().notNull() },
  (table) => [
    index('used_assertions_expiry').on(table.expiresAt),
    check('used_assertions_hash_length', sql`length(${table.hash}) = 32`),
  ],
)

/** Devices that wait for somebody to enter their code (RFC 8628). Polling writes nothing. */
export const deviceCodes = pgTable(
  'device_codes',
  {
    hash: bytea().primaryKey(),
    /** An HMAC: a code of eight letters could be found from its plain hash. */
    userCodeHash: bytea().notNull().unique('device_codes_user_code_unique'),
    clientId: clientId(),
    scopes: text().array().notNull(),
    resource: resource(),
    expiresAt: instant().notNull(),
    /** Who has answered, and what; null until then. */
    userId: key().references(() => users.id, { onDelete: 'cascade' }),
    isAllowed: boolean(),
    ...login(),
    consumedAt: instant(),
  },
  (table) => [
    index('device_codes_expiry').on(table.expiresAt),
    index('device_codes_client').on(table.clientId),
    index('device_codes_user').on(table.userId).where(sql`${table.userId} is not null`),
    check('device_codes_hash_length', sql`length(${table.hash}) = 32 and length(${table.userCodeHash}) = 32`),
    check('device_codes_answered', sql`(${table.userId} is null) = (${table.isAllowed} is null)`),
  ],
)

/** The keys that sign ID tokens: one signs now, and those before it are published for a day longer. */
export const signingKeys = pgTable(
  'signing_keys',
  {
    /** The `kid`. */
    id: key().primaryKey(),
    publicJwk: jsonb().notNull(),
    privateCiphertext: bytea().notNull(),
    sealingKeyId: text().notNull(),
    createdAt: instant().notNull(),
    retiredAt: instant(),
  },
  (table) => [
    uniqueIndex('signing_keys_current').on(sql`(${table.retiredAt} is null)`).where(sql`${table.retiredAt} is null`),
  ],
)
