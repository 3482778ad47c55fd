import { sql } from 'drizzle-orm'
import { check, index, pgTable, smallint, text, uuid } from 'drizzle-orm/pg-core'
import { bytea, instant, key } from './columns.ts'
import { users } from './people.ts'

/**
 * Mails that are to be sent, and for a week those that were. What a mail says is sealed, because it may hold a link that is as
 * good as a password, and is forgotten once the mail is sent or given up.
 */
export const mails = pgTable(
  'mails',
  {
    id: key().primaryKey(),
    kind: text().notNull(),
    userId: key().references(() => users.id, { onDelete: 'cascade' }),
    address: text().notNull(),
    /** The address as it is counted: in lower case, without what many providers ignore behind a plus sign. */
    mailbox: text().notNull(),
    /** The network or IPv6 site of whoever asked for it, where anybody may: none of them fills somebody's mailbox alone. */
    askedFrom: text(),
    ciphertext: bytea(),
    keyId: text(),
    queuedAt: instant().notNull(),
    /** Until it is sent or given up. */
    dueAt: instant(),
    lease: uuid(),
    tries: smallint().notNull().default(0),
    /** When its link is dead, and it would only disappoint. */
    uselessAt: instant(),
    outcome: text({ enum: ['sent', 'given_up'] }),
    expiresAt: instant(),
  },
  (table) => [
    index('mails_due').on(table.dueAt).where(sql`${table.dueAt} is not null`),
    index('mails_mailbox').on(table.mailbox, table.kind, table.queuedAt),
    index('mails_user').on(table.userId, table.kind, table.queuedAt),
    index('mails_expiry').on(table.expiresAt).where(sql`${table.expiresAt} is not null`),
    check('mails_outcome_known', sql`${table.outcome} in ('sent','given_up')`),
    check('mails_settled', sql`(${table.outcome} is null) = (${table.dueAt} is not null)`),
    check('mails_sealed', sql`(${table.dueAt} is not null) = (${table.ciphertext} is not null)`),
  ],
)

/** Links in mails by which something may be done once. Only the SHA-256 of their token is stored; the mail alone has the token. */
export const mailLinks = pgTable(
  'mail_links',
  {
    hash: bytea().primaryKey(),
    purpose: text({ enum: ['verify', 'reset', 'restore'] }).notNull(),
    userId: key()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Where the link was sent, and so what its use proves. */
    address: text().notNull(),
    expiresAt: instant().notNull(),
  },
  (table) => [
    index('mail_links_user').on(table.userId, table.purpose),
    index('mail_links_address').on(sql`lower(${table.address})`),
    index('mail_links_expiry').on(table.expiresAt),
    check('mail_links_purpose_known', sql`${table.purpose} in ('verify','reset','restore')`),
    check('mail_links_hash_length', sql`length(${table.hash}) = 32`),
  ],
)
