import { sql } from 'drizzle-orm'
import { bigint, check, index, pgTable, text } from 'drizzle-orm/pg-core'
import { instant, key } from './columns.ts'
import { users } from './people.ts'

/** The number of a channel's newest event. Its row lock lasts until the commit: the sequence has no gap and no double. */
export const channelSequences = pgTable('channel_sequences', {
  channelId: key()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  last: bigint({ mode: 'number' }).notNull(),
})

/** Partitioned by id, a day each. The payload is text: the bytes that are signed are the bytes that are stored. */
export const events = pgTable(
  'events',
  {
    id: key().primaryKey(),
    channelId: key().notNull(),
    sequence: bigint({ mode: 'number' }).notNull(),
    type: key().notNull(),
    occurredAt: instant().notNull(),
    payload: text().notNull(),
  },
  (table) => [
    index('events_channel').on(table.channelId, table.id),
    check('events_payload_size', sql`octet_length(${table.payload}) <= 65536`),
  ],
)
