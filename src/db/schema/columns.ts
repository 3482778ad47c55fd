import { customType, timestamp } from 'drizzle-orm/pg-core'

/**
 * Identifiers and everything that is ordered by. Collation "C" compares bytes: the same order on every server, and no
 * index that a new version of libc or ICU silently corrupts.
 */
export const key = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' })

/** A time that the API shows: milliseconds, so that what is stored is what is shown is what a cursor carries. */
export const instant = () => timestamp({ withTimezone: true, precision: 3 })

export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** The shape of a username, for PostgreSQL and JavaScript alike. */
export const USERNAME_PATTERN = '^[a-z0-9_]{3,25}$'
