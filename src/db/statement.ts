import { is } from 'drizzle-orm'
import { PgTransaction } from 'drizzle-orm/pg-core'
import type { PostgresJsSession } from 'drizzle-orm/postgres-js'
import type { Sql } from 'postgres'
import type { Database } from './client.ts'
import { isConnectionLost } from './db-error.ts'
import { mendPartitions } from './partitions.ts'

/**
 * One SQL text for a hot path: prepared once per connection, one round trip, on the pool or in the transaction that `db`
 * is. Rows carry SQL's column names; times and `int8` come as text, `bytea` as a Buffer. Dates, Buffers and lists of
 * strings may be given as values. On the pool, a `select` whose connection was lost is asked once more, and a row without
 * a partition gets one.
 */
export function statement<Values extends readonly unknown[], Row>(text: string) {
  const isRead = /^\s*select\b/i.test(text)
  return async (db: Database, ...values: Values): Promise<Row[]> => {
    const client = clientOf(db)
    const ask = () => client.unsafe<Row[]>(text, values.map(toParameter), ONE_ROUND_TRIP)
    try {
      return await ask()
    } catch (error) {
      if (is(db, PgTransaction)) throw error
      const isWorthAgain = (isRead && isConnectionLost(error)) || (await mendPartitions(db, error))
      if (!isWorthAgain) throw error
      return await ask()
    }
  }
}

/** SQL that shows a time as the API does: RFC 3339, UTC, exactly milliseconds. */
export function instantText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

// `simple` is the driver's: a text without values would otherwise take the simple protocol, which prepares nothing
const ONE_ROUND_TRIP = { prepare: true, simple: false }

/** The driver's client behind a database. Every Database is made by `databaseOver`, so its session is postgres.js's. */
function clientOf(db: Database): Sql {
  return (db._.session as unknown as PostgresJsSession<Sql, Record<string, never>, Record<string, never>>).client
}

/** Drizzle takes the driver's own notion of dates away. */
function toParameter(value: unknown) {
  return (value instanceof Date ? value.toISOString() : value) as string // what the driver takes is wider than its type
}
