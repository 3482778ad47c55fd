import { type AnyColumn, sql } from 'drizzle-orm'

/**
 * Deadlines are set and judged by the clock of the database, which all processes share; `ctx.now()` only stamps what is
 * shown. Not SQL's `now()`: that is the start of the transaction, which may have waited for a lock since.
 */
export const dbNow = sql<Date>`statement_timestamp()`

export const inMs = (ms: number) => sql<Date>`statement_timestamp() + ${ms} * interval '1 millisecond'`

export const hasPassed = (deadline: AnyColumn) => sql<boolean>`${deadline} <= statement_timestamp()`
