/** Codes of the driver, of node:net and of the server for a connection that could not be opened, or was lost. */
const LOST = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // the socket of a server that is not running
  'EPIPE',
  'ETIMEDOUT',
  '25P03', // idle_in_transaction_session_timeout, which ends the connection
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
])
const OVERLOADED = new Set([
  'DATABASE_AWAY', // refused by the gate of the pool
  '57014', // query_canceled: the statement took too long
  '55P03', // lock_not_available: it waited too long
  '53100', // disk_full
  '53200', // out_of_memory
  '53300', // too_many_connections
  '53400', // configuration_limit_exceeded: temporary files
  '25006', // read_only_sql_transaction: a primary that has become a replica
])
const RETRYABLE = new Set(['40001', '40P01'])
const VIOLATIONS = new Set(['23505', '23503', '23514'])

/** Whether the connection was lost, so that it is unknown whether the statement ran. */
export const isConnectionLost = (error: unknown): boolean => has(LOST, error)

/** Whether the database cannot answer at the moment, whatever the statement; worth a retry a second later. */
export const isUnavailable = (error: unknown): boolean => has(LOST, error) || has(OVERLOADED, error)

/** Whether the whole transaction may simply be run again: a deadlock (40P01) or a serialization failure (40001). */
export const isRetryable = (error: unknown): boolean => has(RETRYABLE, error)

/** Whether a text holds what PostgreSQL cannot store: NUL, or broken UTF-8 (22021). */
export const isInvalidText = (error: unknown): boolean => codeOf(error) === '22021'

/** The name of the constraint that rejected a row (23505, 23503, 23514); undefined for any other error. */
export function violatedConstraint(error: unknown): string | undefined {
  const failure = failureOf(error)
  if (!failure || !VIOLATIONS.has(failure.code)) return undefined
  return failure.constraint_name
}

/** Whether a row had no partition: 23514 without the name of a constraint. */
export function isPartitionMissing(error: unknown): boolean {
  const failure = failureOf(error)
  return failure?.code === '23514' && failure.constraint_name === undefined
}

/** Whether a partition was not detached because another one of its table is pending (55000). */
export const isDetachPending = (error: unknown): boolean => codeOf(error) === '55000'

type Failure = { code: string; constraint_name?: string; syscall?: string }

const has = (codes: ReadonlySet<string>, error: unknown) => codes.has(codeOf(error) ?? '')
/** ENOENT counts only for a socket: a missing file is no missing server. */
const codeOf = (error: unknown) => {
  const failure = failureOf(error)
  return failure?.code === 'ENOENT' && failure.syscall !== 'connect' ? undefined : failure?.code
}

/** The first error with a code in the chain of causes, because drizzle wraps the errors of the driver. */
function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  return isFailure(error) ? error : failureOf(error.cause)
}

const isFailure = (error: Error): error is Error & Failure => 'code' in error && typeof error.code === 'string'
