import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { bytea, instant, key } from './columns.ts'
import { users } from './people.ts'

/** Keys with which encoders publish: one of a channel. A key that is revoked is deleted. */
export const streamKeys = pgTable(
  'stream_keys',
  {
    channelId: key()
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    hash: bytea().notNull().unique('stream_keys_hash_unique'),
    last4: text().notNull(),
    createdAt: instant().notNull(),
    rolledAt: instant(),
    lastUsedAt: instant(),
  },
  (table) => [check('stream_keys_hash_length', sql`length(${table.hash}) = 32`)],
)

/**
 * Encoders that publish, or did a moment ago: one of a channel. It is updated every ten seconds, so its migration gives it room
 * for that on each page, and no column that changes has an index: ten thousand rows are read as fast.
 */
export const ingestConnections = pgTable(
  'ingest_connections',
  {
    channelId: key()
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** What ends with it; null while its channel is not live, although it sends. */
    livestreamId: key(),
    /** As the media server names it; null once it is gone, or may publish no more. */
    connection: text(),
    connectedAt: instant().notNull(),
    seenAt: instant().notNull(),
    /** When the live stream ends, unless the encoder is heard of again. */
    expiresAt: instant().notNull(),
    /** When the next picture is to be taken. */
    frameDueAt: instant().notNull(),
    bitrateKbps: integer(),
    measuredAt: instant(),
  },
  (table) => [check('ingest_connections_connection_length', sql`char_length(${table.connection}) between 1 and 200`)],
)

/** Pictures of live streams that are stored, also those that are to be removed: from `expires_at` on. */
export const thumbnails = pgTable(
  'thumbnails',
  {
    id: key().primaryKey(),
    livestreamId: key().notNull(),
    createdAt: instant().notNull(),
    expiresAt: instant(),
  },
  (table) => [
    index('thumbnails_livestream').on(table.livestreamId),
    index('thumbnails_expires').on(table.expiresAt).where(sql`${table.expiresAt} is not null`),
  ],
)
