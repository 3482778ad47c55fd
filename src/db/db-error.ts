/** idle_in_transaction_session_timeout, which ends the connection: the database is there, and it was this process that took too long. */
const IDLED = '25P03'

const errors = new WeakSet<Error>()

/**
 * Notes that an error came from asking the database, and returns it. By its code alone it may be anybody's: a mail server, a receiver
 * of webhooks and Redis refuse connections in the same words.
 */
export function ofDatabase<Of>(error: Of): Of {
  if (error instanceof Error) errors.add(error)
  return error
}

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
  'ENOENT', // of the socket of a server that is not running
  'EPIPE',
  'ETIMEDOUT',
  IDLED,
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
])
/** What the server is short of: disk, memory, connections, and what its configuration allows, as of temporary files. */
const SHORTAGES = ['53100', '53200', '53300', '53400'] as const
const OVERLOADED = new Set<string>([
  ...SHORTAGES,
  'DATABASE_AWAY', // refused by the gate of the pool
  'BULKHEAD_FULL', // refused because others of its text hold their share of the pool
  '57014', // query_canceled: the statement took too long
  '55P03', // lock_not_available: it waited too long
  '25006', // read_only_sql_transaction: a primary that has become a replica
])
const RETRYABLE = new Set(['40001', '40P01'])
const VIOLATIONS = new Set(['23505', '23503', '23514'])

/** Whether the connection was lost, so that it is unknown whether the statement ran. */
export const isConnectionLost = (error: unknown): boolean => has(LOST, error)

/** Whether the database is away: the connection was lost or refused, or the gate of the pool says so. */
export const isDatabaseAway = (error: unknown): boolean =>
  (isConnectionLost(error) && codeOf(error) !== IDLED) || codeOf(error) === 'DATABASE_AWAY'

/** Whether the database cannot answer at the moment, whatever the statement; worth a retry a second later. */
export const isUnavailable = (error: unknown): boolean => has(LOST, error) || has(OVERLOADED, error)

/** Whether a statement was refused because others of its text hold their share of the pool. */
export const isBulkheadFull = (error: unknown): boolean => codeOf(error) === 'BULKHEAD_FULL'

/** Whether the whole transaction may simply be run again: a deadlock (40P01) or a serialization failure (40001). */
export const isRetryable = (error: unknown): boolean => has(RETRYABLE, error)

/** What the server was short of: 53100 disk, 53200 memory, 53300 connections, 53400 a limit of its configuration. */
export const shortageOf = (error: unknown) => SHORTAGES.find((code) => code === codeOf(error))

/** Whether a lock was waited for as long as `lock_timeout` allows (55P03). */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03'

/** Whether a text holds what PostgreSQL cannot store: NUL, or broken UTF-8 (22021). */
export const isInvalidText = (error: unknown): boolean => codeOf(error) === '22021'

/** The name of the constraint that rejected a row (23505, 23503, 23514); undefined for any other error. */
export function violatedConstraint(error: unknown): string | undefined {
  const failure = failureOf(error)
  if (!failure || !VIOLATIONS.has(failure.code)) return undefined
  return failure.constraint_name
}

/** The table and the key of a row that had no partition: 23514 without the name of a constraint; undefined for other errors. */
export function lackingPartition(error: unknown): { table: string; id: string } | undefined {
  const failure = failureOf(error)
  if (failure?.code !== '23514' || failure.constraint_name !== undefined) return undefined
  const [, id] = /\(\w+\) = \((\w+)\)/.exec(failure.detail ?? '') ?? []
  return id === undefined || failure.table_name === undefined ? undefined : { table: failure.table_name, id }
}

/** Whether a partition was not detached because another one of its table is pending (55000). */
export const isDetachPending = (error: unknown): boolean => codeOf(error) === '55000'

type Failure = { code: string; constraint_name?: string; table_name?: string; detail?: string }

const has = (codes: ReadonlySet<string>, error: unknown) => codes.has(codeOf(error) ?? '')
const codeOf = (error: unknown) => failureOf(error)?.code

/** The first error of the database in the chain of causes: drizzle wraps those of the driver, and tRPC those of a verb, in one with a code of its own. */
function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined
  return errors.has(error) && isFailure(error) ? error : failureOf(error.cause)
}

const isFailure = (error: Error): error is Error & Failure => 'code' in error && typeof error.code === 'string'
