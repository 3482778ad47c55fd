import { sql } from 'drizzle-orm'
import { check, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { memberRoles, roles } from '../../shared/roles.ts'
import { clients } from './applications.ts'
import { bytea, instant, key } from './columns.ts'
import { users } from './people.ts'

const clientId = () =>
  key()
    .notNull()
    .references(() => clients.id, { onDelete: 'cascade' })

const listOf = (values: readonly string[]) => sql.raw(values.map((value) => `'${value}'`).join(','))

/** Who belongs to an application beside its owner, who stands in `clients.owner_id`. */
export const applicationMembers = pgTable(
  'application_members',
  {
    clientId: clientId(),
    userId: key()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role: text({ enum: memberRoles }).notNull(),
    joinedAt: instant().notNull(),
    /** When they got the role that they have, if that was later. */
    roleChangedAt: instant(),
  },
  (table) => [
    primaryKey({ name: 'application_members_pkey', columns: [table.clientId, table.userId] }),
    index('application_members_user').on(table.userId, table.clientId),
    check('application_members_role_known', sql`${table.role} in (${listOf(memberRoles)})`),
  ],
)

/**
 * Who is asked to belong to an application, by the address that the mail went to, or by their account; as `owner`, to take it over. Only the
 * SHA-256 of the link's token is stored; the mail alone has the token.
 */
export const applicationInvitations = pgTable(
  'application_invitations',
  {
    id: key().primaryKey(),
    clientId: clientId(),
    role: text({ enum: roles }).notNull(),
    address: text(),
    userId: key().references(() => users.id, { onDelete: 'cascade' }),
    invitedBy: key().references(() => users.id, { onDelete: 'set null' }),
    hash: bytea().notNull().unique('application_invitations_hash_unique'),
    createdAt: instant().notNull(),
    expiresAt: instant().notNull(),
  },
  (table) => [
    index('application_invitations_client').on(table.clientId, table.id),
    uniqueIndex('application_invitations_address').on(table.clientId, sql`lower(${table.address})`),
    uniqueIndex('application_invitations_transfer').on(table.clientId).where(sql`${table.role} = 'owner'`),
    index('application_invitations_user').on(table.userId),
    index('application_invitations_invited_by').on(table.invitedBy),
    index('application_invitations_expiry').on(table.expiresAt),
    check('application_invitations_role_known', sql`${table.role} in (${listOf(roles)})`),
    check('application_invitations_to_one', sql`(${table.address} is null) <> (${table.userId} is null)`),
    check('application_invitations_hash_length', sql`length(${table.hash}) = 32`),
  ],
)
