import { describe, expect, test } from 'vitest'
import { type Limit, memoryCounters, unlimitedCounters } from '../../src/counters/counters.ts'
import { NewKeys } from '../../src/counters/new-keys.ts'
import { networkOf, siteOf } from '../../src/domain/core/rate-limits.ts'

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

  test('give back what turned out to be no failure', async () => {
    const counters = memoryCounters()
    await counters.take(three, 'a')
    await counters.giveBack(three, 'a')
    expect((await counters.peek(three, 'a')).remaining).toBe(3)
    await counters.giveBack(three, 'never counted')
    expect((await counters.peek(three, 'never counted')).remaining).toBe(3)
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
    expect(await unlimitedCounters.take(three, 'a')).toEqual({ limit: 3, remaining: 3, resetS: 60, exceeded: false })
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
