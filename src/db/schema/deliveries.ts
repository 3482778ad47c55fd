import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, smallint, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { instant, key } from './columns.ts'

/** Events with more than 500 receivers, which the worker expands in steps; the next step starts after `after_id`. */
export const webhookFanouts = pgTable(
  'webhook_fanouts',
  {
    eventId: key().primaryKey(),
    type: key().notNull(),
    channelId: key().notNull(),
    occurredAt: instant().notNull(),
    afterId: key().notNull().default(''),
  },
  (table) => [index('webhook_fanouts_channel').on(table.channelId, table.eventId)],
)

/** Unfinished deliveries only. No foreign keys, because each insert would lock the subscription. */
export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: key().primaryKey(),
    eventId: key().notNull(),
    type: key().notNull(),
    subscriptionId: key().notNull(),
    lane: smallint().notNull().default(0),
    /** Under what it is filed (events/receiver-pace.ts): the pace and the owner of its receiver when it was queued, or a sweep later. */
    pace: smallint().notNull().default(0),
    /** Empty in what the release before has queued. */
    ownerId: key().notNull().default(''),
    dueAt: timestamp({ withTimezone: true }).notNull(),
    lease: uuid(),
    attempts: smallint().notNull().default(0),
    claims: smallint().notNull().default(0),
    createdAt: instant().notNull(),
  },
  (table) => [
    index('webhook_deliveries_fair').on(table.lane, table.subscriptionId, table.dueAt), // those of one subscription
    index('webhook_deliveries_claim').on(table.lane, table.pace, table.ownerId, table.subscriptionId, table.dueAt),
    index('webhook_deliveries_due').on(table.dueAt),
    index('webhook_deliveries_leased').on(table.subscriptionId).where(sql`${table.lease} is not null`),
  ],
)

/** Finished deliveries. Partitioned by id, one partition per day. A replay moves the row back to the queue. */
export const webhookDeliveriesDone = pgTable(
  'webhook_deliveries_done',
  {
    id: key().primaryKey(),
    eventId: key().notNull(),
    type: key().notNull(),
    subscriptionId: key().notNull(),
    outcome: text({ enum: ['delivered', 'failed', 'cancelled', 'held', 'expired'] }).notNull(),
    reason: text(),
    attempts: smallint().notNull(),
    createdAt: instant().notNull(),
    finishedAt: instant().notNull(),
  },
  (table) => [
    index('webhook_deliveries_done_page').on(table.subscriptionId, table.id),
    index('webhook_deliveries_done_failed').on(table.subscriptionId, table.id).where(sql`${table.outcome} = 'failed'`),
    check(
      'webhook_deliveries_done_outcome_known',
      sql`${table.outcome} in ('delivered','failed','cancelled','held','expired')`,
    ),
  ],
)

/**
 * How long deliveries waited for us alone before their first attempt: how many in each stretch of ten seconds, by the upper bound of
 * their wait. Written by all who deliver, read as what the service was like lately.
 */
export const webhookWaits = pgTable(
  'webhook_waits',
  { slot: instant().notNull(), boundMs: integer().notNull(), n: integer().notNull() },
  (table) => [primaryKey({ name: 'webhook_waits_pkey', columns: [table.slot, table.boundMs] })],
)

/** The result of each attempt: a status or an error, never both. Partitioned by the delivery's id, one partition per day. */
export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    deliveryId: key().notNull(),
    n: smallint().notNull(),
    startedAt: instant().notNull(),
    durationMs: integer().notNull(),
    status: smallint(),
    errorClass: text(),
    /** Null in rows of release 1.0. */
    detail: text(),
    response: text(),
    /** The head of the request as it was sent, and that of its response; bounded where they are made. Null in older rows. */
    request: text(),
    responseHeaders: text(),
  },
  (table) => [
    primaryKey({ name: 'webhook_attempts_pkey', columns: [table.deliveryId, table.n] }),
    check('webhook_attempts_response_size', sql`octet_length(${table.response}) <= 4096`),
    check('webhook_attempts_status_or_error', sql`(${table.status} is null) <> (${table.errorClass} is null)`),
  ],
)
