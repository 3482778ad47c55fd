import type { Limit } from '../../../counters/counters.ts'
import type { Context } from '../../core/context.ts'

/** How long a device waits between two questions, and how much longer for each time that it has not (RFC 8628, section 3.5). */
export const POLL_INTERVAL_S = 5
/** What the network may take off an interval. */
const TOLERANCE_S = 1

/** How often a device has asked too soon. More often there is no time for in the life of a code. */
const hastes: Limit = { name: 'device-hastes', points: 120, windowS: 600 }

/** One question in an interval, after so many that came too soon. */
const pollAfter = (hasty: number): Limit => ({
  name: `device-poll-${hasty}`,
  points: 1,
  windowS: POLL_INTERVAL_S * (hasty + 1) - TOLERANCE_S,
})

/**
 * Notes that a device asks, and returns whether it does so too soon, by which its interval grows for good. Counted, and not stored:
 * ten thousand devices that wait write nothing. `code` is the hash of its code, which exists.
 */
export async function isTooSoon({ counters }: Pick<Context, 'counters'>, code: Buffer): Promise<boolean> {
  const key = code.toString('base64url')
  const { limit, remaining } = await counters.peek(hastes, key)
  const hasty = limit - remaining
  const { exceeded } = await counters.take(pollAfter(hasty), key)
  if (!exceeded) return false
  await counters.take(hastes, key)
  await counters.take(pollAfter(hasty + 1), key)
  return true
}
