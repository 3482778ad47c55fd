import { is } from 'drizzle-orm'
import { PgTransaction } from 'drizzle-orm/pg-core'
import type { PostgresJsSession } from 'drizzle-orm/postgres-js'
import type { Sql } from 'postgres'
import type { Database } from './client.ts'
import { isConnectionLost } from './db-error.ts'
import { mendPartitions } from './partitions.ts'

/**
 * One SQL text for a hot path: prepared once per connection and one round trip, on a pool or in a transaction. Rows have the
 * column names of SQL; times and `int8` are text, `bytea` is a Buffer. Values may be Dates, Buffers and lists of strings. On
 * a pool, a `select` whose connection was lost is retried once, and a row that lacks a partition once that exists.
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
      const isWorthRetrying = (isRead && isConnectionLost(error)) || (await mendPartitions(db, error))
      if (!isWorthRetrying) throw error
      return await ask()
    }
  }
}

/** SQL that shows a time as the API does: RFC 3339, UTC, exactly milliseconds. */
export function instantText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

// `simple: false`, because the driver would send a text without values by the simple protocol, which does not prepare
const ONE_ROUND_TRIP = { prepare: true, simple: false }

/** The driver's client of a database. Every Database is made by `databaseOver`, so its session is one of postgres.js. */
function clientOf(db: Database): Sql {
  return (db._.session as unknown as PostgresJsSession<Sql, Record<string, never>, Record<string, never>>).client
}

/** Drizzle removes the driver's serializer for dates. */
function toParameter(value: unknown) {
  return (value instanceof Date ? value.toISOString() : value) as string // the driver accepts more than its type says
}
