import type { Count, Counters, Limit } from '../../counters/counters.ts'
import type { Context } from '../core/context.ts'
import { countsByAddress, rateLimits, refuseExceeded } from '../core/rate-limits.ts'

type ProofContext = Pick<Context, 'counters' | 'now'>
type Refusal = { limit: Limit; count: Count; untilMs: number }

const REFUSED_MAX = 10_000
const TOO_MANY = 'Too many failed DPoP proofs.'

/**
 * Whom this process refuses, by counters and by network or site. Kept beside the counters, which may be in another process, so
 * that a proof which is right asks nobody.
 */
const refusedBy = new WeakMap<Counters, Map<string, Refusal>>()

/** Refuses the next proof of a network, right or wrong, after too many that failed, before its signature is verified. Throws `rate_limited`. */
export function refuseThrottledProof(ctx: ProofContext, address: string): void {
  const refused = refusedBy.get(ctx.counters)
  if (!refused?.size) return
  for (const [limit, key] of countsOf(address)) refuseRemembered(ctx, refused, nameOf(limit, key))
}

/** Counts a proof whose signature was verified in vain. Throws `rate_limited` for one too many. */
export async function countFailedProof(ctx: ProofContext, address: string): Promise<void> {
  for (const [limit, key] of countsOf(address)) {
    const count = await ctx.counters.take(limit, key)
    if (count.remaining === 0) remember(ctx, nameOf(limit, key), { limit, count })
    refuseExceeded(count, TOO_MANY, limit)
  }
}

const countsOf = (address: string) => countsByAddress(rateLimits.dpopProofAddress, address)

const nameOf = (limit: Limit, key: string) => `${limit.name} ${key}`

function refuseRemembered({ now }: ProofContext, refused: Map<string, Refusal>, name: string): void {
  const refusal = refused.get(name)
  if (!refusal) return
  const leftMs = refusal.untilMs - now().getTime()
  if (leftMs <= 0) return void refused.delete(name)
  refuseExceeded({ ...refusal.count, exceeded: true, resetS: Math.ceil(leftMs / 1000) }, TOO_MANY, refusal.limit)
}

/** Forgets the oldest when there are too many: they are counted on. */
function remember({ counters, now }: ProofContext, name: string, { limit, count }: Omit<Refusal, 'untilMs'>): void {
  const refused = refusedBy.get(counters) ?? new Map<string, Refusal>()
  refusedBy.set(counters, refused)
  const [oldest] = refused.keys()
  if (refused.size >= REFUSED_MAX && oldest !== undefined) refused.delete(oldest)
  refused.set(name, { limit, count, untilMs: now().getTime() + count.resetS * 1000 })
}
