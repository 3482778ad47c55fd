/** `transaction`: behind PgBouncer in that mode, where no session state survives a transaction. */
export type Pooler = 'session' | 'transaction'

export type SessionOptions = {
  /** `application_name`, as `pg_stat_activity` shows it. */
  name?: string
  /** `statement_timeout`; 0 for none, which migrations and repairs need. Locks are waited for half as long. */
  statementMs?: number
  /** `lock_timeout`, where it is not half of that. */
  lockMs?: number
  pooler?: Pooler
  /** Whether a statement is planned once for all values or for each; by default the server decides. */
  plans?: keyof typeof planSettings
}

/** How times are written, on which the driver's reading of them relies. */
const timeFormat = { DateStyle: 'ISO, MDY', TimeZone: 'UTC' }
/** What else statements and the reading of their rows rely on, whatever the database, the role or the server says. */
const behaviour = {
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
 * A plan that is made once serves for as long as its connection, also when the queue, which was empty then, holds a million
 * rows. So it reads no table from end to end, whatever that costs at the moment. Without `jit`, which older servers would
 * think worth its time for what they are kept from.
 */
export const planSettings = {
  generic: { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' },
  custom: { plan_cache_mode: 'force_custom_plan' },
} as const

/**
 * The start-up parameters of a session. PgBouncer in transaction mode accepts no others than the name and `timeFormat`, which it
 * sets again for each client. Set the limits there with `ALTER ROLE`.
 */
export function sessionSettings(options: SessionOptions) {
  const { name = 'developer-api', statementMs = 0, lockMs = statementMs / 2, pooler, plans } = options
  if (pooler === 'transaction') return { application_name: name, ...timeFormat }
  return {
    application_name: name,
    ...timeFormat,
    ...behaviour,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: statementMs,
    ...(plans && planSettings[plans]),
  }
}
