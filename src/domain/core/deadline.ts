import { within } from '../../time/within.ts'
import { Problem } from './problem.ts'

/** Longer than any statement of a request should take, and less than the 10 s that callers are promised. */
const DEADLINE_MS = 9_500

/**
 * Gives the work for a request an end, also when the database is silent: 503 `unavailable`. The work itself goes on; what it
 * comes to too late is given to `drop`, which gives back what it holds. What may take longer by its nature says so with `ms`.
 */
export function withinDeadline<Result>(
  work: Promise<Result>,
  ms = DEADLINE_MS,
  drop?: (late: Result) => void,
): Promise<Result> {
  return within(ms, work, () => {
    if (drop) work.then(drop, () => {})
    throw new Problem('unavailable', 'The service cannot answer at the moment; try again.', { retryAfterS: 1 })
  })
}

/** The deadline of work that is done in pieces: what lies between them, such as waiting for the caller, takes none of it. */
export class Deadline {
  #leftMs = DEADLINE_MS

  /** Throws `unavailable` once all pieces together have taken too long; `drop` as in `withinDeadline`. */
  async within<Result>(work: Promise<Result>, drop?: (late: Result) => void): Promise<Result> {
    const begunMs = performance.now()
    try {
      return await withinDeadline(work, this.#leftMs, drop)
    } finally {
      this.#leftMs -= performance.now() - begunMs
    }
  }
}
