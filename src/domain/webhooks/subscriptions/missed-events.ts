import { statement } from '../../../db/statement.ts'
import type { ActorContext } from '../../core/context.ts'
import { boundsOf, channelsOf, isMissed, type MatchingValues, matchingEvents } from './matching-events.ts'
import type { OwnedSubscription } from './ownership.ts'

const COUNT_MAX = 10_000

const countRows = (matching: string) =>
  statement<MatchingValues, { n: number }>(`select count(*)::int as n from (${matching}) matching`)
const countMatching = {
  one: countRows(matchingEvents('one', isMissed)),
  all: countRows(matchingEvents('all', isMissed)),
}

/** How many events of the last 30 days a subscription never got; counting stops at 10,000. */
export async function countMissed(ctx: ActorContext, subscription: OwnedSubscription): Promise<number> {
  const bounds = await boundsOf(ctx, subscription, {}, 'event')
  const [counted] = await countMatching[channelsOf(subscription)](ctx.slow, ...bounds, COUNT_MAX)
  return counted?.n ?? 0
}
