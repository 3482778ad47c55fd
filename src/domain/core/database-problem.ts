import { isDatabaseAway, isInvalidText, isUnavailable } from '../../db/db-error.ts'
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

/** Whether a request failed for no other reason than that the database is away, which is logged once and not by each that fails. */
export const isOutage = (error: unknown): boolean => isDatabaseAway(error)
