import { setTimeout as after } from 'node:timers/promises'
import type { DatabaseTarget } from '../db/client.ts'
import { isUnavailable } from '../db/db-error.ts'
import { errorMessageOf } from '../telemetry/error-message.ts'
import { logger } from '../telemetry/logger.ts'

const ASK_AGAIN_MS = 1_000
/** Enough to see that it still waits, and why. */
const TELL_EVERY_MS = 30_000

/**
 * Runs a step of the start over the database and returns what that returns: again every second as long as the database
 * does not answer, or goes away in the middle, so the step must be harmless twice. Throws what may not pass, and when
 * `stopping` aborts.
 */
export async function waitForDatabase<Result>(
  target: DatabaseTarget,
  stopping: AbortSignal,
  step: () => Promise<Result>,
): Promise<Result> {
  for (let toldAt = Number.NEGATIVE_INFINITY; ; ) {
    try {
      return await step()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      if (performance.now() - toldAt >= TELL_EVERY_MS) {
        tellOfWaiting(target, error)
        toldAt = performance.now()
      }
    }
    await after(ASK_AGAIN_MS, undefined, { signal: stopping })
  }
}

function tellOfWaiting(target: DatabaseTarget, failure: unknown) {
  const facts = { database: hostOf(target), reason: errorMessageOf(failure) }
  logger.warn(facts, 'The database does not answer yet: it is asked again every second')
}

/** Host and port, without who is asking for what by which password. */
function hostOf(target: DatabaseTarget): string {
  if (typeof target !== 'string') return target.host
  const [, host = ''] = /^\w+:\/\/(?:[^/]*@)?([^/?#]*)/.exec(target) ?? [] // a list of hosts is no URL
  return host
}
