import { sql } from 'drizzle-orm'
import { check, index, pgTable, text } from 'drizzle-orm/pg-core'
import { instant, key } from './columns.ts'

/**
 * Partitioned by id, one partition per month. No foreign keys: a message outlives its author (`user_id` and `user_name` are
 * copies), and each insert saves two look-ups and two row locks.
 */
export const chatMessages = pgTable(
  'chat_messages',
  {
    id: key().primaryKey(),
    channelId: key().notNull(),
    userId: key().notNull(),
    userName: text().notNull(),
    type: text({ enum: ['text', 'system', 'announcement'] })
      .notNull()
      .default('text'),
    content: text().notNull(),
    createdAt: instant().notNull(),
  },
  (table) => [
    index('chat_messages_page').on(table.channelId, table.id),
    index('chat_messages_author').on(table.userId, table.id),
    check('chat_messages_type_known', sql`${table.type} in ('text','system','announcement')`),
    check('chat_messages_content_length', sql`char_length(${table.content}) between 1 and 500`),
  ],
)
