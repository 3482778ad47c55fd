import { sql } from 'drizzle-orm'
import type { Database } from './client.ts'

/** A constraint that a migration has added as `NOT VALID`, so that it did not keep everybody out while it looked at all rows. */
export type LateConstraint = { name: string; table: string }

/** Those that all rows obey by now: in the release after the one that added them. */
export const lateConstraints: readonly LateConstraint[] = [{ name: 'users_closed_before_erased', table: 'users' }]

/** Those of `wanted` that nobody has looked at all rows for yet. */
export async function unvalidatedConstraints(db: Database, wanted = lateConstraints): Promise<LateConstraint[]> {
  const rows = await db.execute<{ name: string }>(sql`
    select conname as name from pg_constraint where connamespace = 'public'::regnamespace and not convalidated`)
  const waiting = new Set(rows.map(({ name }) => name))
  return wanted.filter(({ name }) => waiting.has(name))
}

/** Looks at all rows while everybody reads and writes on: not in the transaction of a migration, which may have locked the table. */
export async function validateConstraint(db: Database, { name, table }: LateConstraint): Promise<void> {
  await db.execute(sql.raw(`alter table ${table} validate constraint ${name}`))
}
