import { Problem } from '../../domain/core/problem.ts'
import type { Operation } from '../../routers/operation-meta.ts'

/** Longer than any statement may take. The cron operation has a time budget of its own. */
const DEADLINE_MS = 10_000

/** Throws `unavailable` (503) when the work takes ten seconds, for example because the database does not answer. */
export function withinDeadline<Result>({ path }: Operation, work: Promise<Result>): Promise<Result> {
  if (path.startsWith('/cron/')) return work
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
