import { sql } from 'drizzle-orm'
import { check, index, inet, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { authenticationMethods } from '../../shared/authentication-methods.ts'
import { bytea, instant, key, USERNAME_PATTERN } from './columns.ts'

/** Users, and at the same time channels: a channel is the public side of a user. */
export const users = pgTable(
  'users',
  {
    id: key().primaryKey(),
    username: key().notNull().unique('users_username_unique'),
    /** Null once somebody else has confirmed it. Several may claim an address, of whom one can confirm it. */
    email: text(),
    emailVerifiedAt: instant(),
    /** The notices that the user has switched off. */
    mutedMail: text().array().notNull().default([]),
    bio: text(),
    imageUrl: text(),
    passwordHash: text(),
    /** When the browsers that were known until then were forgotten, as they are with a new password. */
    devicesForgottenAt: instant(),
    /** Since when there has been a second factor, however often it was replaced. */
    protectedSince: instant(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
    disabledAt: instant(),
    /** Of an account that its owner has closed: when what is left of the person is erased. Until then it can be opened again. */
    eraseAt: instant(),
    /** The row stays, so that nobody gets the name again. */
    erasedAt: instant(),
  },
  (table) => [
    uniqueIndex('users_verified_email').on(sql`lower(${table.email})`).where(sql`${table.emailVerifiedAt} is not null`),
    index('users_claimed_email').on(sql`lower(${table.email})`),
    index('users_erasure').on(table.eraseAt).where(sql`${table.eraseAt} is not null`),
    check('users_username_shape', sql`${table.username} ~ '${sql.raw(USERNAME_PATTERN)}'`),
    check('users_bio_not_empty', sql`${table.bio} <> ''`),
    check('users_image_url_not_empty', sql`${table.imageUrl} <> ''`),
    check(
      'users_closed_before_erased',
      sql`(${table.eraseAt} is null and ${table.erasedAt} is null) or ${table.disabledAt} is not null`,
    ),
  ],
)

/** Sessions of the first-party pages. Only the SHA-256 of the cookie's secret is stored. */
export const loginSessions = pgTable(
  'login_sessions',
  {
    id: key().primaryKey(),
    secretHash: bytea().notNull().unique('login_sessions_secret_unique'),
    userId: key()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: instant().notNull(),
    lastSeenAt: instant().notNull(),
    expiresAt: instant().notNull(),
    /** When somebody last proved who they are: at the login, and whenever that is asked again. */
    authenticatedAt: instant().notNull().default(sql`now()`),
    /** How, in the words of RFC 8176. */
    amr: text({ enum: authenticationMethods }).array().notNull().default(['pwd']),
    ip: inet(),
    userAgent: text(),
  },
  (table) => [
    index('login_sessions_user').on(table.userId, table.id),
    check(
      'login_sessions_amr_known',
      sql`cardinality(${table.amr}) > 0 and ${table.amr} <@ array[${sql.raw(authenticationMethods.map((method) => `'${method}'`).join(','))}]`,
    ),
    check('login_sessions_secret_length', sql`length(${table.secretHash}) = 32`),
  ],
)
