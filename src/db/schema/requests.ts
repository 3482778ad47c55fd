import { sql } from 'drizzle-orm'
import { check, index, inet, integer, pgTable, primaryKey, smallint, text, timestamp } from 'drizzle-orm/pg-core'
import { key } from './columns.ts'

/**
 * Requests of applications that failed, and a sample of the others. Partitioned by id, one partition per day. No foreign keys: each
 * insert would lock the application.
 */
export const requestLog = pgTable(
  'request_log',
  {
    id: key().primaryKey(),
    clientId: key().notNull(),
    /** As the answer's `X-Request-Id` has it: not unique, because callers may choose it, and a batch is one request. */
    requestId: key().notNull(),
    operation: text().notNull(),
    status: smallint().notNull(),
    code: text(),
    message: text(),
    /** The API key or the grant by whose credential it was made. */
    credentialId: key(),
    durationMs: integer().notNull(),
    /** Of requests for a user: their network alone. */
    address: inet(),
    /** What a failed request sent, as JSON without secrets. */
    sent: text(),
  },
  (table) => [
    index('request_log_client').on(table.clientId, table.id),
    index('request_log_request').on(table.requestId, table.clientId, table.id),
    check('request_log_request_length', sql`octet_length(${table.requestId}) <= 128`),
    check('request_log_message_length', sql`char_length(${table.message}) <= 500`),
    check('request_log_sent_size', sql`octet_length(${table.sent}) <= 4096`),
  ],
)

/** How many failed requests of an application were not kept, by minute. */
export const requestLogOmissions = pgTable(
  'request_log_omissions',
  {
    clientId: key().notNull(),
    minute: timestamp({ withTimezone: true, precision: 0 }).notNull(),
    failures: integer().notNull(),
  },
  (table) => [
    primaryKey({ name: 'request_log_omissions_pkey', columns: [table.clientId, table.minute] }),
    index('request_log_omissions_minute').on(table.minute),
  ],
)
