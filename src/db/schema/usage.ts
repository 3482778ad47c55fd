import { bigint, index, pgTable, primaryKey, timestamp } from 'drizzle-orm/pg-core'
import { clients } from './applications.ts'
import { key } from './columns.ts'

const count = () => bigint({ mode: 'number' }).notNull().default(0)

/** Requests of an application by hour and operation; counted in memory and added here every few seconds. */
export const clientUsage = pgTable(
  'client_usage',
  {
    clientId: key()
      .notNull()
      .references(() => clients.id, { onDelete: 'cascade' }),
    hour: timestamp({ withTimezone: true, precision: 0 }).notNull(),
    operation: key().notNull(),
    requests: count(),
    errors: count(),
    limited: count(),
    durationMs: count(),
  },
  (table) => [
    primaryKey({ name: 'client_usage_pkey', columns: [table.clientId, table.hour, table.operation] }),
    index('client_usage_hour').on(table.hour),
  ],
)
