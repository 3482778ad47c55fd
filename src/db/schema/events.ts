import { sql } from 'drizzle-orm'
import { bigint, check, index, pgSequence, pgTable, smallint, text } from 'drizzle-orm/pg-core'
import { instant, key } from './columns.ts'
import { users } from './people.ts'

/** The number of a channel's newest event. Its row stays locked until the commit, so no number is skipped or used twice. */
export const channelSequences = pgTable('channel_sequences', {
  channelId: key()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  last: bigint({ mode: 'number' }).notNull(),
})

/** The order of all events. Taken while the channel's row is locked, so within a channel it is the order of `sequence`. */
export const eventPositions = pgSequence('event_positions')

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
    /** Null in events that are older than the column. */
    position: bigint({ mode: 'number' }).default(sql`nextval('event_positions')`),
  },
  (table) => [
    index('events_channel').on(table.channelId, table.id),
    index('events_channel_sequence').on(table.channelId, table.sequence),
    index('events_position').on(table.position),
    check('events_payload_size', sql`octet_length(${table.payload}) <= 65536`),
  ],
)

/** How far events were relayed to a broker, and the process that does so; one row. */
export const eventRelay = pgTable(
  'event_relay',
  {
    id: smallint().primaryKey(),
    position: bigint({ mode: 'number' }).notNull(),
    movedAt: instant().notNull().defaultNow(),
    holder: text(),
    leasedUntil: instant(),
  },
  (table) => [check('event_relay_one_row', sql`${table.id} = 1`)],
)
