import { isBulkheadFull, isDatabaseAway, isInvalidText, isUnavailable, shortageOf } from '../../db/db-error.ts'
import { Problem } from './problem.ts'

/** A failure of the database in the caller's words, or undefined when it is a fault of ours. */
export function databaseProblem(error: unknown): Problem | undefined {
  if (isUnavailable(error)) {
    return new Problem('unavailable', 'The service cannot answer at the moment; try again.', {
      cause: error,
      retryAfterS: 1,
    })
  }
  if (isInvalidText(error)) return new Problem('invalid_request', 'The input holds a character that cannot be stored.')
  return undefined
}

/**
 * Whether something failed because the database is away or short of something, or others like it hold the connections: that is logged
 * once, and not for each request or stream that fails by it.
 */
export const isOutage = (error: unknown): boolean =>
  isDatabaseAway(error) || shortageOf(error) !== undefined || isBulkheadFull(error)
