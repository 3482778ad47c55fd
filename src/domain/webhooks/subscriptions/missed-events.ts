import { statement } from '../../../db/statement.ts'
import type { ActorContext } from '../../core/context.ts'
import {
  boundsOf,
  channelsOf,
  howFar,
  isMissed,
  type MatchingValues,
  matchingEvents,
  type Visited,
} from './matching-events.ts'
import type { OwnedSubscription } from './ownership.ts'

const COUNT_MAX = 10_000
const COUNT_MS = 2_000
const VISITED_AT_ONCE = 1_000

const countRows = (matching: string) =>
  statement<MatchingValues, Visited & { n: number }>(
    `with ${matching} select (select count(*) from matching)::int as n, far.* from ${howFar}`,
  )
const countMatching = {
  one: countRows(matchingEvents('one', isMissed)),
  all: countRows(matchingEvents('all', isMissed)),
}

/**
 * How many events of the last 30 days a subscription never got, counted a thousand events at a time. Counting stops at
 * 10,000, and after two seconds: then there are at least so many. To be called in a turn.
 */
export async function countMissed(ctx: ActorContext, subscription: OwnedSubscription): Promise<number> {
  const [id, types, channel, start, end] = await boundsOf(ctx, subscription, {}, 'event')
  const count = countMatching[channelsOf(subscription)]
  const until = performance.now() + COUNT_MS
  let missed = 0
  for (let after = start; ; ) {
    const [found] = await count(ctx.slow, id, types, channel, after, end, VISITED_AT_ONCE)
    missed = Math.min(missed + (found?.n ?? 0), COUNT_MAX)
    if (!found?.last || found.visited < VISITED_AT_ONCE) return missed
    if (missed === COUNT_MAX || performance.now() > until) return missed
    after = found.last
  }
}
