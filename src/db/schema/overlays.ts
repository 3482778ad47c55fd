import { sql } from 'drizzle-orm'
import { check, index, pgTable, text } from 'drizzle-orm/pg-core'
import { bytea, instant, key } from './columns.ts'
import { users } from './people.ts'

/** Keys with which overlays read some types of the events of one channel. A key that is revoked is deleted. */
export const overlayKeys = pgTable(
  'overlay_keys',
  {
    id: key().primaryKey(),
    channelId: key()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    hash: bytea().notNull().unique('overlay_keys_hash_unique'),
    last4: text().notNull(),
    eventTypes: text().array().notNull(),
    createdAt: instant().notNull(),
    rolledAt: instant(),
    lastUsedAt: instant(),
  },
  (table) => [
    index('overlay_keys_channel').on(table.channelId, table.id),
    check('overlay_keys_name_length', sql`char_length(${table.name}) between 1 and 100`),
    check('overlay_keys_hash_length', sql`length(${table.hash}) = 32`),
    check('overlay_keys_event_types_some', sql`cardinality(${table.eventTypes}) > 0`),
  ],
)
