import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Limit, memoryCounters, unlimitedCounters } from '../../src/counters/counters.ts'
import { NewKeys } from '../../src/counters/new-keys.ts'
import { networkOf, siteOf } from '../../src/domain/core/rate-limits.ts'
import { asPromised, whatCounts } from './scenario.ts'

afterEach(() => void vi.useRealTimers())
const three: Limit = { name: 'three', points: 3, windowS: 60 }

describe('counters in memory', () => {
  test('let pass what the limit allows, and say how long to wait then', async () => {
    const counters = memoryCounters()
    const counts = [await counters.take(three, 'a'), await counters.take(three, 'a'), await counters.take(three, 'a')]
    expect(counts.map(({ remaining, exceeded }) => [remaining, exceeded])).toEqual([
      [2, false],
      [1, false],
      [0, false],
    ])
    const refused = await counters.take(three, 'a')
    expect(refused).toMatchObject({ limit: 3, remaining: 0, exceeded: true })
    expect(refused.resetS).toBeGreaterThan(0)
    expect(refused.resetS).toBeLessThanOrEqual(60)
    expect(Number.isInteger(refused.resetS)).toBe(true)
  })

  test('keep keys and limits apart', async () => {
    const counters = memoryCounters()
    for (let i = 0; i < 4; i++) await counters.take(three, 'a')
    expect((await counters.take(three, 'b')).exceeded).toBe(false)
    expect((await counters.take({ ...three, name: 'other' }, 'a')).exceeded).toBe(false)
  })

  test('tell without counting whether the next one would be too many', async () => {
    const counters = memoryCounters()
    expect(await counters.peek(three, 'a')).toEqual({ limit: 3, remaining: 3, resetS: 60, exceeded: false })
    await Promise.all([1, 2, 3].map(() => counters.take(three, 'a')))
    expect(await counters.peek(three, 'a')).toMatchObject({ remaining: 0, exceeded: true })
    expect(await counters.peek(three, 'a')).toMatchObject({ remaining: 0, exceeded: true })
  })

  test.each([1, 4, 30, 60, 900])('have %i s left after the first, and no second more', async (windowS) => {
    const counters = memoryCounters()
    const first = Array.from({ length: 1_000 }, (_, n) => counters.take({ ...three, windowS }, `key ${n}`))
    expect(new Set((await Promise.all(first)).map(({ resetS }) => resetS))).toEqual(new Set([windowS]))
  })

  test('count nothing that they refuse, and give back to the window in which it was taken', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const untilEnded = async () => void vi.advanceTimersByTime(4_000)
    expect(await whatCounts(memoryCounters(), untilEnded)).toEqual(asPromised)
  })

  test('keep no window that has ended, once others begin', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    setFlagsFromString('--expose-gc')
    const gc = runInNewContext('gc') as () => void
    const keptBytes = () => {
      gc()
      return getHeapStatistics().used_heap_size
    }
    const counters = memoryCounters()
    const fill = async (round: number) => {
      for (let n = 0; n < 10_000; n++) await counters.take(three, `${round} ${n}`)
      vi.advanceTimersByTime(60_000)
    }
    await fill(0)
    const before = keptBytes()
    for (let round = 1; round <= 20; round++) await fill(round)
    expect(keptBytes() - before).toBeLessThan(5_000_000)
    expect(await counters.take(three, '20 1')).toMatchObject({ remaining: 2 })
  })

  test('let strangers share places when there are too many, and forget nobody', async () => {
    const counters = memoryCounters()
    for (let i = 0; i < 4; i++) await counters.take(three, 'known')
    for (let i = 0; i < NewKeys.MAX; i++) await counters.take(three, `flood ${i}`)
    expect((await counters.take(three, 'known')).exceeded).toBe(true)
    const shared = await Promise.all(Array.from({ length: 20_000 }, (_, i) => counters.take(three, `more ${i}`)))
    expect(shared.filter(({ exceeded }) => exceeded).length).toBeGreaterThan(0)
  })

  test('count nothing when limits are off', async () => {
    for (let i = 0; i < 5; i++) await unlimitedCounters.take(three, 'a')
    expect(await unlimitedCounters.take(three, 'a')).toMatchObject({
      limit: 3,
      remaining: 3,
      resetS: 60,
      exceeded: false,
    })
  })
})

test('a caller is its IPv4 address, or the /64 of its IPv6 address', () => {
  expect(networkOf('192.0.2.7')).toBe('192.0.2.7')
  expect(networkOf('::ffff:192.0.2.7')).toBe('192.0.2.7')
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2')
  expect(networkOf('2001:db8:1:2::9')).toBe('2001:db8:1:2')
  expect(networkOf('2001:0DB8::1')).toBe('2001:db8:0:0')
  expect(networkOf('::1')).toBe('0:0:0:0')
  expect(networkOf('fe80::1%eth0')).toBe('fe80:0:0:0')
  expect(networkOf('unknown')).toBe('unknown')
})

test('an IPv6 address belongs to a /48 as well', () => {
  expect(siteOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1')
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', 'unknown']) expect(siteOf(address)).toBeUndefined()
})
