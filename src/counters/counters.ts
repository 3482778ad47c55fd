import { hash } from 'node:crypto'
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { NewKeys } from './new-keys.ts'

export type Limit = { name: string; points: number; windowS: number }
export type Count = {
  limit: number
  remaining: number
  /** Whole seconds until the window ends, at least 1. */
  resetS: number
  /** Of `take`: this one was too many. Of `peek`: the next one would be. */
  exceeded: boolean
}
/** Fixed windows that begin with their first point. Keys may be any text; only their SHA-256 is kept, and may be asked for. */
export type Counters = {
  /** Counts one. */
  take(limit: Limit, key: string): Promise<Count>
  /** Counts nothing. */
  peek(limit: Limit, key: string | Buffer): Promise<Count>
  /** Undoes one `take`: what is counted before it is known to have failed, so that parallel tries cannot slip by. */
  giveBack(limit: Limit, key: string): Promise<void>
}

export type LimiterOptions = { keyPrefix: string; points: number; duration: number }

/** Counts in the memory of this process alone. */
export const memoryCounters = (): Counters => countersOver((options) => new RateLimiterMemory(options))

/** `RATE_LIMITS=off`: counts nothing, refuses nothing, and still has numbers to show. */
export const unlimitedCounters: Counters = {
  take: async (limit) => untouched(limit),
  peek: async (limit) => untouched(limit),
  giveBack: async () => undefined,
}

/**
 * Counters over one limiter of the library for each limit. At most `Newcomers.MAX` keys of a limit have a place of
 * their own; while more come than that, those that have none share 4096 places: memory is bounded and nobody who is
 * counted already is forgotten.
 */
export function countersOver(makeLimiter: (options: LimiterOptions) => RateLimiterAbstract): Counters {
  const known = new Map<string, { limiter: RateLimiterAbstract; newcomers: NewKeys }>()

  const limiterOf = ({ name, points, windowS }: Limit) => {
    const found = known.get(name)
    if (found) return found
    const limiter = makeLimiter({ keyPrefix: name, points, duration: windowS })
    const made = { limiter, newcomers: new NewKeys(windowS * 1000) }
    known.set(name, made)
    return made
  }
  const placeOf = async (limit: Limit, key: string | Buffer) => {
    const { limiter, newcomers } = limiterOf(limit)
    const place = typeof key === 'string' ? hash('sha256', key, 'base64url') : key.toString('base64url')
    if (!newcomers.areTooMany || (await limiter.get(place))) return { limiter, newcomers, place }
    return { limiter, newcomers, place: `shared ${place.slice(0, 2)}` }
  }

  return {
    async take(limit, key) {
      const { limiter, newcomers, place } = await placeOf(limit, key)
      const counted = await outcomeOf(limiter.consume(place))
      if (counted.isFirstInDuration) newcomers.add()
      return countOf(limit, counted, counted.consumedPoints > limit.points)
    },
    async peek(limit, key) {
      const { limiter, place } = await placeOf(limit, key)
      const counted = await limiter.get(place)
      return counted ? countOf(limit, counted, counted.consumedPoints >= limit.points) : untouched(limit)
    },
    async giveBack(limit, key) {
      const { limiter, place } = await placeOf(limit, key)
      if (await limiter.get(place)) await limiter.reward(place)
    },
  }
}

/** The library rejects with its result when a limit is exceeded. */
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
