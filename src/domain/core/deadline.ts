import { Problem } from './problem.ts'

/** Longer than any statement of a request should take, and less than the 10 s that callers are promised. */
const DEADLINE_MS = 9_500

/** Gives the work for a request an end, also when the database is silent: 503 `unavailable`. The work itself goes on. */
export function withinDeadline<Result>(work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Problem('unavailable', 'The service cannot answer at the moment; try again.', { retryAfterS: 1 }))
    }, DEADLINE_MS)
    const settling =
      <Value>(settle: (value: Value) => void) =>
      (value: Value) => {
        clearTimeout(timer)
        settle(value)
      }
    work.then(settling(resolve), settling(reject))
  })
}
