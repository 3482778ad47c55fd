import type { ConnectOptions } from './client.ts'

/** What statements, and the driver's reading of their rows, rely on, whatever the database, the role or the server says. */
const FORMS = { DateStyle: 'ISO, MDY', TimeZone: 'UTC' }
const REST = {
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: 1,
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  default_transaction_isolation: 'read committed',
  search_path: 'public',
  random_page_cost: 1.1,
} as const

/**
 * The start-up parameters of a session. PgBouncer in transaction mode accepts no others than the name and `FORMS`, which it
 * sets again for each client. Set the limits there with `ALTER ROLE`.
 */
export function sessionSettings(options: ConnectOptions) {
  const { name = 'developer-api', statementMs = 0, lockMs = statementMs / 2, pooler, plans } = options
  if (pooler === 'transaction') return { application_name: name, ...FORMS }
  return {
    application_name: name,
    ...FORMS,
    ...REST,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: statementMs,
    ...(plans && { plan_cache_mode: `force_${plans}_plan` }),
  }
}
