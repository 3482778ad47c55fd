import { RateLimiterCluster, RateLimiterClusterMaster, RateLimiterRedis } from 'rate-limiter-flexible'
import { logger } from '../telemetry/logger.ts'
import { type Counters, countersOver, memoryCounters } from './counters.ts'

const ANSWER_MS = 250
const CONNECT_MS = 2_000

/** Makes the first process of a cluster count for all; called there, before the others start. */
export function countForWorkers() {
  new RateLimiterClusterMaster()
}

/** Counters of a worker process: the first process counts, and this one alone while that does not answer. */
export const clusterCounters = (): Counters =>
  insured(countersOver((options) => new RateLimiterCluster({ ...options, timeoutMs: ANSWER_MS })))

/** Counters shared by every process on one Redis. Losing it stops nothing: each process then counts alone. */
export async function redisCounters(url: string): Promise<Counters & AsyncDisposable> {
  const { Redis } = await import('ioredis') // a start without it has 50 files less to load
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_MS,
    commandTimeout: ANSWER_MS,
    retryStrategy: (tries) => Math.min(1_000, 50 * 2 ** tries),
  })
  // Without a listener ioredis prints each failed try; `insured` tells once that the counters are away, and once that they are back.
  client.on('error', () => undefined)
  await client.connect().catch(() => undefined)
  const counters = insured(
    countersOver(
      ({ keyPrefix, ...options }) =>
        new RateLimiterRedis({
          ...options,
          keyPrefix: `developer-api:${keyPrefix}`,
          storeClient: client,
          rejectIfRedisNotReady: true,
        }),
    ),
  )
  return { ...counters, [Symbol.asyncDispose]: async () => client.disconnect() }
}

/** Counts in memory while `shared` fails, and says so once at each change. */
function insured(shared: Counters): Counters {
  const alone = memoryCounters()
  let isAway = false
  const attempt = async <Result>(ask: (counters: Counters) => Promise<Result>): Promise<Result> => {
    try {
      const answer = await ask(shared)
      if (isAway) logger.info('Rate limits are counted together again')
      isAway = false
      return answer
    } catch (error) {
      if (!isAway) logger.warn({ err: error }, 'The shared rate limits do not answer: this process counts alone')
      isAway = true
      return ask(alone)
    }
  }
  return {
    take: (limit, key) => attempt((counters) => counters.take(limit, key)),
    peek: (limit, key) => attempt((counters) => counters.peek(limit, key)),
    giveBack: (limit, key) => attempt((counters) => counters.giveBack(limit, key)),
  }
}
