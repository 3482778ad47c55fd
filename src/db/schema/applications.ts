import { sql } from 'drizzle-orm'
import { type AnyPgColumn, boolean, check, index, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { grantTypes } from '../../shared/grants.ts'
import { bytea, instant, key } from './columns.ts'
import { users } from './people.ts'

/** Applications of third parties: clients in the words of RFC 6749. */
export const clients = pgTable(
  'clients',
  {
    id: key().primaryKey(),
    ownerId: key().references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    websiteUrl: text(),
    confidential: boolean().notNull(),
    grantTypes: text({ enum: grantTypes }).array().notNull(),
    scopes: text().array().notNull(),
    authMethod: text({ enum: ['secret', 'private_key_jwt', 'none'] }).notNull(),
    jwks: jsonb(),
    jwksChangedAt: instant(),
    dpopBound: boolean().notNull().default(false),
    /** The `client_id` of an application that is not registered here: the https address of its metadata document. */
    metadataUrl: key().unique('clients_metadata_url_unique'),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
    disabledAt: instant(),
    /** Whether it was stopped because its owner has closed their account; it works again if that is opened. */
    stoppedWithOwner: boolean().notNull().default(false),
  },
  (table) => [
    index('clients_owner').on(table.ownerId, table.id),
    check('clients_name_length', sql`char_length(${table.name}) between 1 and 100`),
    check(
      'clients_grant_types_known',
      sql`cardinality(${table.grantTypes}) > 0 and ${table.grantTypes} <@ array[${sql.raw(grantTypes.map((type) => `'${type}'`).join(','))}]`,
    ),
    check('clients_auth_method_known', sql`${table.authMethod} in ('secret','private_key_jwt','none')`),
    check('clients_confidential_authenticates', sql`${table.confidential} = (${table.authMethod} <> 'none')`),
    check(
      'clients_credentials_confidential',
      sql`${table.confidential} or not ('client_credentials' = any (${table.grantTypes}))`,
    ),
    check('clients_jwks_with_method', sql`(${table.authMethod} = 'private_key_jwt') = (${table.jwks} is not null)`),
  ],
)

const clientId = () =>
  key()
    .notNull()
    .references(() => clients.id, { onDelete: 'cascade' })

/** At most two are valid at a time, so that a secret can be rotated. The verb counts them while it holds a lock on the client. */
export const clientSecrets = pgTable(
  'client_secrets',
  {
    id: key().primaryKey(),
    clientId: clientId(),
    hash: bytea().notNull().unique('client_secrets_hash_unique'),
    last4: text().notNull(),
    createdAt: instant().notNull(),
    expiresAt: instant(),
  },
  (table) => [
    index('client_secrets_client').on(table.clientId, table.id),
    index('client_secrets_expiry').on(table.expiresAt).where(sql`${table.expiresAt} is not null`),
    check('client_secrets_hash_length', sql`length(${table.hash}) = 32`),
  ],
)

export const clientRedirectUris = pgTable(
  'client_redirect_uris',
  { clientId: clientId(), uri: key().notNull(), addedAt: instant() },
  (table) => [
    primaryKey({ name: 'client_redirect_uris_pkey', columns: [table.clientId, table.uri] }),
    check('client_redirect_uris_length', sql`char_length(${table.uri}) <= 2048`),
  ],
)

/** Long-lived credentials of the application itself, without a user. */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: key().primaryKey(),
    clientId: clientId(),
    name: text().notNull(),
    hash: bytea().notNull().unique('api_keys_hash_unique'),
    /** The prefix and four more characters. With `last4` they identify a key in somebody's configuration. */
    first8: text().notNull().default('lsk_'),
    last4: text().notNull(),
    scopes: text().array().notNull(),
    createdBy: key().references(() => users.id, { onDelete: 'set null' }),
    createdAt: instant().notNull(),
    expiresAt: instant(),
    lastUsedAt: instant(),
    revokedAt: instant(),
    replacedBy: key().references((): AnyPgColumn => apiKeys.id),
  },
  (table) => [
    index('api_keys_client').on(table.clientId, table.id),
    index('api_keys_ended').on(sql`least(${table.revokedAt}, ${table.expiresAt})`),
    index('api_keys_replaced_by').on(table.replacedBy).where(sql`${table.replacedBy} is not null`),
    check('api_keys_name_length', sql`char_length(${table.name}) between 1 and 100`),
    check('api_keys_hash_length', sql`length(${table.hash}) = 32`),
  ],
)
