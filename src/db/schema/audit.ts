import { sql } from 'drizzle-orm'
import { check, index, inet, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { key } from './columns.ts'

/** Who did what to accounts, applications and credentials. Partitioned by id, one partition per month. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: key().primaryKey(),
    actorType: text({ enum: ['user', 'client', 'api_key', 'operator', 'system'] }).notNull(),
    actorId: key(),
    action: text().notNull(),
    userId: key(),
    clientId: key(),
    targetId: key(),
    requestId: text(),
    ip: inet(),
    userAgent: text(),
    details: jsonb().notNull().default({}),
  },
  (table) => [
    index('audit_log_user').on(table.userId, table.id),
    index('audit_log_client').on(table.clientId, table.id),
    index('audit_log_actor').on(table.actorId, table.id),
    check('audit_log_actor_type_known', sql`${table.actorType} in ('user','client','api_key','operator','system')`),
  ],
)
