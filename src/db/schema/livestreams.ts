import { sql } from 'drizzle-orm'
import { check, foreignKey, index, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { categories } from './categories.ts'
import { instant, key } from './columns.ts'
import { users } from './people.ts'

/** A channel has at most one live stream: `livestreams_one_live`. */
export const livestreams = pgTable(
  'livestreams',
  {
    id: key().primaryKey(),
    channelId: key().references(() => users.id, { onDelete: 'set null' }),
    title: text(),
    categorySlug: key(),
    thumbnailUrl: text(),
    startedAt: instant().notNull(),
    updatedAt: instant().notNull(),
    endedAt: instant(),
  },
  (table) => [
    foreignKey({
      name: 'livestreams_category_exists',
      columns: [table.categorySlug],
      foreignColumns: [categories.slug],
    })
      .onUpdate('cascade')
      .onDelete('set null'),
    uniqueIndex('livestreams_one_live').on(table.channelId).where(sql`${table.endedAt} is null`),
    index('livestreams_page').on(table.updatedAt, table.id).where(sql`${table.endedAt} is null`),
    index('livestreams_channel').on(table.channelId, table.id),
    index('livestreams_category').on(table.categorySlug),
    check('livestreams_title_not_empty', sql`${table.title} <> ''`),
    check('livestreams_thumbnail_url_not_empty', sql`${table.thumbnailUrl} <> ''`),
    check('livestreams_ended_after_start', sql`${table.endedAt} >= ${table.startedAt}`),
  ],
)
