import { sql } from 'drizzle-orm'
import { check, pgTable, smallint } from 'drizzle-orm/pg-core'
import { apiKeys, clients } from './applications.ts'
import { instant, key } from './columns.ts'

/** Up to when the owner of an application was told how its webhooks fare. A table of its own, because `clients` is read by every request. */
export const webhookNotices = pgTable('webhook_notices', {
  clientId: key()
    .primaryKey()
    .references(() => clients.id, { onDelete: 'cascade' }),
  toldUntil: instant().notNull(),
})

/** The last notice that was given of the end of a key: so many days before. */
export const keyNotices = pgTable(
  'key_notices',
  {
    keyId: key()
      .primaryKey()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    days: smallint().notNull(),
  },
  (table) => [check('key_notices_days_known', sql`${table.days} in (14, 3)`)],
)
