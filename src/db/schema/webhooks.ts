import { sql } from 'drizzle-orm'
import { check, foreignKey, index, integer, pgTable, primaryKey, smallint, text, timestamp } from 'drizzle-orm/pg-core'
import { clients } from './applications.ts'
import { bytea, instant, key } from './columns.ts'
import { users } from './people.ts'

/** Where events are sent, and the health of the receiver. Without a user: events of every channel. */
export const webhookSubscriptions = pgTable(
  'webhook_subscriptions',
  {
    id: key().primaryKey(),
    clientId: key()
      .notNull()
      .references(() => clients.id, { onDelete: 'cascade' }),
    userId: key().references(() => users.id, { onDelete: 'cascade' }),
    url: text().notNull(),
    eventTypes: text().array().notNull(),
    description: text(),
    status: text({ enum: ['enabled', 'disabled'] })
      .notNull()
      .default('enabled'),
    disabledReason: text({ enum: ['gone', 'failing', 'grant_lost', 'owner'] }),
    disabledAt: instant(),
    deletedAt: instant(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
    /** When it was last sent to another address. */
    urlChangedAt: instant(),
    sendWindow: smallint().notNull().default(8),
    consecutiveFailures: integer().notNull().default(0),
    firstFailureAt: instant(),
    failedAttempts: integer().notNull().default(0),
    lastSuccessAt: instant(),
    openUntil: timestamp({ withTimezone: true }),
    openForS: integer().notNull().default(0),
    /** Until when it took nothing: its last rest was ended before its time, by a success or by hand, or as much as it takes was in flight. */
    restedAt: instant(),
    /** How long its attempts took lately, a moving average in milliseconds; null before the first. */
    attemptMs: integer(),
  },
  (table) => [
    index('webhook_subscriptions_page')
      .on(table.clientId, table.userId, table.id)
      .where(sql`${table.deletedAt} is null`),
    // An index condition "is null" does not keep the order, so rows without a user have an index of their own
    index('webhook_subscriptions_page_all')
      .on(table.clientId, table.id)
      .where(sql`${table.userId} is null and ${table.deletedAt} is null`),
    index('webhook_subscriptions_user').on(table.userId),
    index('webhook_subscriptions_client').on(table.clientId), // includes deleted subscriptions, which are removed with their application
    check('webhook_subscriptions_url_length', sql`char_length(${table.url}) between 1 and 2048`),
    check('webhook_subscriptions_types_not_empty', sql`cardinality(${table.eventTypes}) > 0`),
    check('webhook_subscriptions_description_length', sql`char_length(${table.description}) between 1 and 500`),
    check('webhook_subscriptions_status_known', sql`${table.status} in ('enabled','disabled')`),
    check(
      'webhook_subscriptions_reason_known',
      sql`${table.disabledReason} in ('gone','failing','grant_lost','owner')`,
    ),
    check('webhook_subscriptions_window_range', sql`${table.sendWindow} between 1 and 32`),
    check(
      'webhook_subscriptions_disabled_for_reason',
      sql`(${table.status} = 'disabled') = (${table.disabledReason} is not null and ${table.disabledAt} is not null)`,
    ),
  ],
)

/** Signing secrets, encrypted. At most three are valid at a time. */
export const webhookSecrets = pgTable(
  'webhook_secrets',
  {
    id: key().primaryKey(),
    subscriptionId: key().notNull(),
    ciphertext: bytea().notNull(),
    keyId: text().notNull(),
    createdAt: instant().notNull(),
    expiresAt: instant(),
  },
  (table) => [
    foreignKey({
      name: 'webhook_secrets_subscription_exists',
      columns: [table.subscriptionId],
      foreignColumns: [webhookSubscriptions.id],
    }).onDelete('cascade'),
    index('webhook_secrets_subscription').on(table.subscriptionId, table.id),
    index('webhook_secrets_expiry').on(table.expiresAt).where(sql`${table.expiresAt} is not null`),
  ],
)

/** Finds the receivers of an event by two index probes, for the channel and for `*`, however many subscriptions there are. */
export const webhookSubscriptionTypes = pgTable(
  'webhook_subscription_types',
  { type: key().notNull(), channelId: key().notNull(), subscriptionId: key().notNull() },
  (table) => [
    primaryKey({
      name: 'webhook_subscription_types_pkey',
      columns: [table.type, table.channelId, table.subscriptionId],
    }),
    foreignKey({
      name: 'webhook_subscription_types_subscription_exists',
      columns: [table.subscriptionId],
      foreignColumns: [webhookSubscriptions.id],
    }).onDelete('cascade'),
    index('webhook_subscription_types_subscription').on(table.subscriptionId),
  ],
)
