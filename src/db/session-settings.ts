/** `transaction`: behind PgBouncer in that mode, where no session state survives a transaction. */
export type Pooler = 'session' | 'transaction'

export type SessionOptions = {
  /** `application_name`, as `pg_stat_activity` shows it. */
  name?: string
  /** `statement_timeout`; 0 for none, which migrations and repairs need. Locks are waited for half as long. */
  statementMs?: number
  pooler?: Pooler
  /** Whether a statement is planned once for all values or for each; by default the server decides. */
  plans?: 'generic' | 'custom'
}

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
export function sessionSettings(options: SessionOptions) {
  const { name = 'developer-api', statementMs = 0, pooler, plans } = options
  if (pooler === 'transaction') return { application_name: name, ...FORMS }
  return {
    application_name: name,
    ...FORMS,
    ...REST,
    statement_timeout: statementMs,
    lock_timeout: statementMs / 2,
    idle_in_transaction_session_timeout: statementMs,
    ...(plans && { plan_cache_mode: `force_${plans}_plan` }),
  }
}
