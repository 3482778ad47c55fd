import type { Count, Limit } from '../../counters/counters.ts'
import type { CalledContext } from '../core/context.ts'
import { refuseExceeded } from '../core/rate-limits.ts'
import type { TokenResponse } from '../core/resources.ts'

/**
 * Counts tokens that were issued, each a row or two that stay for a while, and refuses before anything is consumed once there
 * are as many as there may be. Only success counts, so nobody can use up what is another's; tries at the same time may get past
 * the limit by as many as there are. Where the caller is not known yet, `authenticate` is asked before anybody is told of the
 * limit. Throws `rate_limited`, and what `issue` throws.
 */
export async function withinIssueLimit(
  ctx: CalledContext,
  limit: Limit,
  key: string,
  issue: () => Promise<TokenResponse>,
  authenticate?: () => Promise<unknown>,
): Promise<TokenResponse> {
  const count = await ctx.counters.peek(limit, key)
  if (count.exceeded) await authenticate?.()
  refuseExceeded(count, TOO_MANY)
  const response = await issue()
  await ctx.counters.take(limit, key)
  return response
}

const TOO_MANY = ({ limit, resetS }: Count) =>
  `More than ${limit} tokens in a minute: use each until it expires, and try again in ${resetS} s.`
