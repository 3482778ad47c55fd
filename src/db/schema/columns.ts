import { customType, timestamp } from 'drizzle-orm/pg-core'

/**
 * For identifiers and everything that lists are ordered by. Collation "C" compares bytes: the order is the same on every
 * server, and a new version of libc or ICU cannot silently corrupt an index.
 */
export const key = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' })

/** A time that the API shows: in milliseconds, so that the stored, the shown and the cursor's value are the same. */
export const instant = () => timestamp({ withTimezone: true, precision: 3 })

export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** The shape of a username, for PostgreSQL and JavaScript alike. */
export const USERNAME_PATTERN = '^[a-z0-9_]{3,25}$'
