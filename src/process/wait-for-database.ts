import { setTimeout as after } from 'node:timers/promises'
import type { DatabaseTarget } from '../db/client.ts'
import { isUnavailable } from '../db/db-error.ts'
import { errorMessageOf } from '../telemetry/error-message.ts'
import { logger } from '../telemetry/logger.ts'

const RETRY_MS = 1_000
/** Often enough to see that the process still waits, and why. */
const LOG_EVERY_MS = 30_000

/**
 * Runs a step of the start that needs the database, and returns its result. While the database is unavailable, or becomes so
 * in the middle, the step is repeated every second, so it must be safe to run twice. Throws any other error, and when
 * `stopping` aborts.
 */
export async function waitForDatabase<Result>(
  target: DatabaseTarget,
  stopping: AbortSignal,
  step: () => Promise<Result>,
): Promise<Result> {
  for (let loggedAt = Number.NEGATIVE_INFINITY; ; ) {
    try {
      return await step()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      if (performance.now() - loggedAt >= LOG_EVERY_MS) {
        const facts = { database: hostOf(target), reason: errorMessageOf(error) }
        logger.warn(facts, 'Database unavailable: retrying every second')
        loggedAt = performance.now()
      }
    }
    await after(RETRY_MS, undefined, { signal: stopping })
  }
}

/** Host and port alone: no user, no password, no parameters. */
function hostOf(target: DatabaseTarget): string {
  if (typeof target !== 'string') return target.host
  const [, host = ''] = /^\w+:\/\/(?:[^/]*@)?([^/?#]*)/.exec(target) ?? [] // URL does not parse a list of hosts
  return host
}
