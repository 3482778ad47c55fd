import { sql } from 'drizzle-orm'
import { boolean, check, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { key } from './columns.ts'

export const categories = pgTable(
  'categories',
  {
    id: key().primaryKey(),
    slug: key().notNull().unique('categories_slug_unique'),
    label: key().notNull(),
    description: text(),
    imageUrl: text(),
    featured: boolean().notNull().default(false),
    sortOrder: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex('categories_page').on(table.sortOrder, table.label, table.id),
    check('categories_slug_shape', sql`${table.slug} ~ '^[a-z0-9]+(-[a-z0-9]+)*$'`),
    check('categories_description_not_empty', sql`${table.description} <> ''`),
    check('categories_image_url_not_empty', sql`${table.imageUrl} <> ''`),
  ],
)
