import type { ProblemDetails } from '../../domain/core/problem.ts'
import { rateLimits } from '../../domain/core/rate-limits.ts'
import type { CountedCredential } from '../../domain/core/request-record.ts'
import type { Headers } from './headers.ts'

/** What clients know the limit of a credential's requests by. */
const DEFAULT = 'default'

/**
 * Where a credential stands in its rate limit: counts and seconds, in three fields of their own and in the two of
 * draft-ietf-httpapi-ratelimit-headers-10. An answer that another limit has refused tells of that one, too, and the three
 * fields are about the one of which nothing remains.
 */
export function rateHeaders({ rate }: CountedCredential, exceeded: Exceeded | undefined): Headers {
  const { limit, remaining, resetS } = rate
  const policy = `"${DEFAULT}";q=${limit};w=${rateLimits.credential.windowS}`
  const state = `"${DEFAULT}";r=${remaining};t=${resetS}`
  if (!exceeded) return fieldsOf(limit, remaining, resetS, policy, state)
  const { name, points, windowS, resetS: refusedS } = exceeded
  const unit = windowS === undefined ? 'qu="concurrent-requests"' : `w=${windowS}`
  const policies = `${policy}, "${name}";q=${points};${unit}`
  return fieldsOf(points, 0, refusedS, policies, `${state}, "${name}";r=0;t=${refusedS}`)
}

export type Exceeded = NonNullable<ProblemDetails['exceeded']> & { resetS: number }

const fieldsOf = (limit: number, remaining: number, resetS: number, policies: string, states: string): Headers => ({
  'RateLimit-Limit': String(limit),
  'RateLimit-Remaining': String(remaining),
  'RateLimit-Reset': String(resetS),
  'RateLimit-Policy': policies,
  RateLimit: states,
})
