import { getTableColumns, or, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'

/**
 * Whether a row differs from what it is to become, so that an update which changes nothing matches no row. `fields` are those of
 * the update, by the names of the schema; none of them: no row differs.
 */
export function differsFrom<Table extends PgTable>(table: Table, fields: Partial<Table['$inferInsert']>): SQL {
  const columns = getTableColumns(table)
  const differences = Object.entries(fields).flatMap(([name, value]) => {
    const column = columns[name]
    return column ? [sql`${column} is distinct from ${sql.param(value, column)}`] : []
  })
  return or(...differences) ?? sql`false`
}
