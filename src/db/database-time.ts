import { type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'

/**
 * The time by the clock of the database, which all processes share. What is old enough to be deleted is judged by it: a
 * process whose own clock is wrong would delete what is young.
 */
export async function databaseTime(db: Database): Promise<Date> {
  const [row] = await db.execute<{ ms: number }>(selectTime)
  return new Date(row?.ms ?? Number.NaN) // there is always one row
}

/** How far the clock of this machine is ahead of that of the database; negative when it is behind. */
export async function clockAheadMs(db: Database): Promise<number> {
  return Date.now() - (await databaseTime(db)).getTime()
}

const selectTime: SQL = sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`
