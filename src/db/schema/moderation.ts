import { sql } from 'drizzle-orm'
import { check, index, pgTable, unique } from 'drizzle-orm/pg-core'
import { instant, key } from './columns.ts'
import { users } from './people.ts'

/** Users who may not write in a channel. A ban stays when its user is deleted, without a user then. */
export const bans = pgTable(
  'bans',
  {
    id: key().primaryKey(),
    channelId: key()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    userId: key().references(() => users.id, { onDelete: 'set null' }),
    createdAt: instant().notNull(),
  },
  (table) => [
    unique('bans_channel_user_unique').on(table.channelId, table.userId),
    index('bans_page').on(table.channelId, table.id),
    index('bans_user').on(table.userId),
    check('bans_not_self', sql`${table.channelId} <> ${table.userId}`),
  ],
)
