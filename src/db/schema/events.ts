import { sql } from 'drizzle-orm'
import { bigint, check, index, pgTable, text } from 'drizzle-orm/pg-core'
import { instant, key } from './columns.ts'
import { users } from './people.ts'

/** The number of a channel's newest event. Its row stays locked until the commit, so no number is skipped or used twice. */
export const channelSequences = pgTable('channel_sequences', {
  channelId: key()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  last: bigint({ mode: 'number' }).notNull(),
})

/** Partitioned by id, one partition per day. The payload is text, so that the stored bytes are those that are signed. */
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
