import { hash } from 'node:crypto'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { NewKeys } from './new-keys.ts'

export type Limit = { name: string; points: number; windowS: number }
export type Count = {
  limit: number
  remaining: number
  /** Whole seconds until the window ends, at least 1. */
  resetS: number
  /** From `take`: this one was over the limit. From `peek`: the next one would be. */
  exceeded: boolean
}
/** Fixed windows that begin with their first point. A key may be any text; only its SHA-256 is stored, and `peek` takes that too. */
export type Counters = {
  /** Counts one. */
  take(limit: Limit, key: string): Promise<Count>
  /** Counts nothing. */
  peek(limit: Limit, key: string | Buffer): Promise<Count>
  /** Undoes one `take`, for what is counted in advance so that parallel attempts cannot get past the limit. */
  giveBack(limit: Limit, key: string): Promise<void>
}

export type LimiterOptions = { keyPrefix: string; points: number; duration: number }

/** Counts in the memory of this process alone. */
export const memoryCounters = (): Counters => countersOver((options) => new RateLimiterMemory(options))

/** For `RATE_LIMITS=off`: counts and refuses nothing, but still has numbers for the headers. */
export const unlimitedCounters: Counters = {
  take: async (limit) => untouched(limit),
  peek: async (limit) => untouched(limit),
  giveBack: async () => undefined,
}

/**
 * Counters over one limiter of the library for each limit. About `NewKeys.MAX` keys of a limit have a slot of their own.
 * While there are more, new keys share 4096 slots, so that memory is bounded and no key that is counted already is dropped.
 */
export function countersOver(makeLimiter: (options: LimiterOptions) => RateLimiterAbstract): Counters {
  const limiters = new Map<string, { limiter: RateLimiterAbstract; newKeys: NewKeys }>()

  const limiterOf = ({ name, points, windowS }: Limit) => {
    const existing = limiters.get(name)
    if (existing) return existing
    const limiter = makeLimiter({ keyPrefix: name, points, duration: windowS })
    const made = { limiter, newKeys: new NewKeys(windowS * 1000) }
    limiters.set(name, made)
    return made
  }
  const slotOf = async (limit: Limit, key: string | Buffer) => {
    const { limiter, newKeys } = limiterOf(limit)
    const slot = typeof key === 'string' ? hash('sha256', key, 'base64url') : key.toString('base64url')
    if (!newKeys.areTooMany || (await limiter.get(slot))) return { limiter, newKeys, slot }
    return { limiter, newKeys, slot: `shared ${slot.slice(0, 2)}` }
  }

  return {
    async take(limit, key) {
      const { limiter, newKeys, slot } = await slotOf(limit, key)
      const counted = await outcomeOf(limiter.consume(slot))
      if (counted.isFirstInDuration) newKeys.add()
      return countOf(limit, counted, counted.consumedPoints > limit.points)
    },
    async peek(limit, key) {
      const { limiter, slot } = await slotOf(limit, key)
      const counted = await limiter.get(slot)
      return counted ? countOf(limit, counted, counted.consumedPoints >= limit.points) : untouched(limit)
    },
    async giveBack(limit, key) {
      const { limiter, slot } = await slotOf(limit, key)
      if (await limiter.get(slot)) await limiter.reward(slot)
    },
  }
}

/** The library rejects with its result when the limit is exceeded. */
async function outcomeOf(consumed: Promise<RateLimiterRes>): Promise<RateLimiterRes> {
  try {
    return await consumed
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return refusal
    throw refusal
  }
}

const countOf = (limit: Limit, { consumedPoints, msBeforeNext }: RateLimiterRes, exceeded: boolean): Count => ({
  limit: limit.points,
  remaining: Math.max(limit.points - consumedPoints, 0),
  resetS: Math.max(Math.ceil(msBeforeNext / 1000), 1),
  exceeded,
})

const untouched = ({ points, windowS }: Limit): Count => ({
  limit: points,
  remaining: points,
  resetS: windowS,
  exceeded: false,
})
