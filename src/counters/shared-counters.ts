import { RateLimiterCluster, RateLimiterClusterMaster, RateLimiterRedis } from 'rate-limiter-flexible'
import { EdgeLogger } from '../telemetry/edge-logger.ts'
import { logger } from '../telemetry/logger.ts'
import { Circuit } from '../time/circuit.ts'
import { type Counters, countersOver, memoryCounters } from './counters.ts'

const ANSWER_MS = 250
const CONNECT_MS = 2_000

/** What the metrics show of this process. */
export const sharedCounterMetrics = { areAway: false }

/** Makes the primary process of a cluster count for all workers. Call it there, before the workers start. */
export function countForWorkers() {
  new RateLimiterClusterMaster()
}

/** Counters of a worker process: the primary counts, or this process alone while the primary does not answer. */
export const clusterCounters = (): Counters =>
  withFallback(countersOver((options) => new RateLimiterCluster({ ...options, timeoutMs: ANSWER_MS })))

/** Counters that all processes share in one Redis. Without it no request fails: each process then counts alone. */
export async function redisCounters(url: string): Promise<Counters & AsyncDisposable> {
  const { Redis } = await import('ioredis') // loaded on demand: 50 files that other configurations do not need
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_MS,
    commandTimeout: ANSWER_MS,
    retryStrategy: (tries) => Math.min(1_000, 50 * 2 ** tries),
  })
  // Without a listener ioredis prints every failed attempt; `withFallback` logs an outage instead.
  client.on('error', () => undefined)
  await client.connect().catch(() => undefined)
  const counters = withFallback(
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
  return {
    ...counters,
    [Symbol.asyncDispose]: async () => {
      client.disconnect()
      sharedCounterMetrics.areAway = false
    },
  }
}

/**
 * Counts in the memory of this process while `shared` fails or is slow. Of many callers one a second waits to see whether it
 * answers again; all others are counted at once.
 */
function withFallback(shared: Counters): Counters {
  const alone = memoryCounters()
  const circuit = new Circuit()
  const edge = new EdgeLogger(logger, {
    down: 'Shared rate limits unavailable: this process counts alone',
    up: 'Shared rate limits available again',
  })
  const attempt = async <Result>(ask: (counters: Counters) => Promise<Result>): Promise<Result> => {
    if (!circuit.mayAsk()) return ask(alone)
    try {
      const answer = await ask(shared)
      circuit.close()
      sharedCounterMetrics.areAway = false
      edge.up()
      return answer
    } catch (error) {
      circuit.open()
      sharedCounterMetrics.areAway = true
      edge.down({ err: error })
      return ask(alone)
    }
  }
  return {
    take: (limit, key) => attempt((counters) => counters.take(limit, key)),
    peek: (limit, key) => attempt((counters) => counters.peek(limit, key)),
    giveBack: (limit, key) => attempt((counters) => counters.giveBack(limit, key)),
  }
}
