import { afterEach, expect, test, vi } from 'vitest'
import { redisCounters, sharedCounterMetrics } from '../../src/counters/shared-counters.ts'
import { startFakeRedis } from '../support/fake-redis.ts'
import { freePort } from '../support/free-port.ts'

const many = { name: 'many', points: 1000, windowS: 60 }
const two = { name: 'two', points: 2, windowS: 60 }
const takeThree = async (counters: Awaited<ReturnType<typeof redisCounters>>) => [
  await counters.take(two, 'a'),
  await counters.take(two, 'a'),
  await counters.take(two, 'a'),
]
const alone = [
  { remaining: 1, exceeded: false },
  { remaining: 0, exceeded: false },
  { remaining: 0, exceeded: true },
]
afterEach(() => void vi.useRealTimers())

test('without an answer from Redis a process counts alone, at once', async () => {
  await using counters = await redisCounters(`redis://127.0.0.1:${await freePort()}`)
  expect(await takeThree(counters)).toMatchObject(alone)
})

test('a Redis that freezes: one caller a second waits for it, all others are counted alone at once, and so it shows', async () => {
  using redis = await startFakeRedis()
  await using counters = await redisCounters(redis.url)
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }) // a busy machine is late, and is not frozen
  const second = () => void vi.advanceTimersByTime(1_001)
  const withoutAnswer = async <Result>(asking: Promise<Result>) => {
    await vi.advanceTimersByTimeAsync(300)
    return asking
  }
  const askMany = () => Promise.all(Array.from({ length: 50 }, () => counters.take(many, 'a')))
  const askedBy = async (work: () => Promise<unknown>) => {
    const before = redis.asked()
    await work()
    return redis.asked() - before
  }
  expect([await askedBy(askMany), sharedCounterMetrics.areAway]).toEqual([50, false])

  redis.freeze()
  await withoutAnswer(counters.take(many, 'a'))
  expect(sharedCounterMetrics.areAway).toBe(true)
  expect(await askedBy(askMany), 'within the same second').toBe(0)
  second()
  expect(await askedBy(() => withoutAnswer(askMany())), 'in the next one').toBe(1)
  expect(await counters.take(many, 'a')).toMatchObject({ remaining: 1000 - 102 })

  redis.thaw()
  second()
  const [back, ...others] = await askMany()
  expect(back, 'shared: what was asked meanwhile was counted, too').toMatchObject({ remaining: 1000 - 53 })
  expect(others[0], 'asked before that was known').toMatchObject({ remaining: 1000 - 103 })
  expect([await askedBy(askMany), sharedCounterMetrics.areAway]).toEqual([50, false])
})

test('a Redis that accepts and then is silent holds up nobody for long', async () => {
  using silent = await startFakeRedis()
  silent.freeze()
  await using counters = await redisCounters(silent.url)
  const started = performance.now()
  expect(await takeThree(counters)).toMatchObject(alone)
  expect(performance.now() - started).toBeLessThan(2_000)
})
