import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ATTEMPTS_MAX,
  RETRY_AFTER_MAX_S,
  retryAfterS,
  retryDelayS,
} from '../../src/domain/webhooks/queue/retry-schedule.ts'

const HOUR_S = 3_600
const promised = [5, 300, 1_800, 2 * HOUR_S, 5 * HOUR_S, 10 * HOUR_S, 14 * HOUR_S, 20 * HOUR_S, 24 * HOUR_S]
const NOW = Date.parse('2026-01-02T03:04:05Z')

test('a date without a zone is UTC, wherever this machine is', () => {
  const before = process.env.TZ
  process.env.TZ = 'America/New_York'
  expect(new Date(NOW).getHours()).not.toBe(3)
  expect(retryAfterS('Fri Jan  2 03:04:35 2026', NOW)).toBe(30)
  process.env.TZ = before ?? 'UTC'
})

test('ten attempts: at once, then after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, each ±20 %', () => {
  expect(ATTEMPTS_MAX).toBe(10)
  for (const [index, pause] of promised.entries()) {
    expect(retryDelayS(index + 1, 0, () => 0.5)).toBeCloseTo(pause)
    expect(retryDelayS(index + 1, 0, () => 0)).toBeCloseTo(pause * 0.8)
    expect(retryDelayS(index + 1, 0, () => 1)).toBeCloseTo(pause * 1.2)
  }
  expect(retryDelayS(ATTEMPTS_MAX)).toBeUndefined()
})

test('whatever the attempt and whatever `Retry-After` says, the delay is finite, within bounds, and grows', () => {
  const chance = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.oneof(fc.string(), fc.integer().map(String), fc.date().map(String)),
      chance,
      (attempts, header, random) => {
        const waitS = retryAfterS(header, NOW)
        expect(waitS === undefined || (waitS > 0 && waitS <= RETRY_AFTER_MAX_S)).toBe(true)
        const delay = retryDelayS(attempts, waitS, () => random)
        expect(delay === undefined).toBe(attempts >= ATTEMPTS_MAX)
        if (delay === undefined) return
        expect(delay).toBeGreaterThanOrEqual(waitS ?? 0)
        expect(delay).toBeLessThan(28.8 * HOUR_S + 1)
        const before = attempts > 1 ? (retryDelayS(attempts - 1, waitS, () => random) ?? 0) : 0
        expect(delay).toBeGreaterThanOrEqual(before)
      },
    ),
    { numRuns: 1_000 },
  )
})

describe('Retry-After', () => {
  test.for([
    ['7', 7],
    [' 7 ', 7],
    ['3600', 3_600],
    ['86400', 3_600],
    ['999999999999999', 3_600],
    ['99999999999999999999', 3_600],
    ['9'.repeat(40), 3_600],
    ['Fri Jan  2 03:04:35 2026', 30],
    ['Fri, 2 Jan 2026 03:04:35 UTC', 30],
    ['Fri, 02 Jan 2026 03:04:35 +0000', 30],
    ['Fri, 02 Jan 2026 03:04:35 GMT', 30],
    ['Friday, 02-Jan-26 03:05:05 GMT', 60],
    ['Fri, 02 Jan 2036 03:04:35 GMT', 3_600],
  ] as [string, number][])('"%s" waits', ([header, seconds]) => {
    expect(retryAfterS(header, NOW)).toBe(seconds)
  })

  test.for([
    '0',
    '-5',
    '1.5',
    '1e3',
    '',
    'soon',
    '0x10',
    'Fri, 02 Jan 2026 03:04:05 GMT',
    'Fri, 02 Jan 1970 03:04:35 GMT',
    '2026-01-02T04:00:00Z',
    'Please 2030',
    'Friday 2030',
    'Fri, 02 Jan 2026 03:04:35',
    'Fri, 02 Jan 2026 03:04:35 EST',
    'Fri, 32 Jan 2026 03:04:35 GMT',
    'Friday, 02-Jan-77 03:05:05 GMT',
    'Fri, 02 Jan 2036 03:04:35 GMT, and later',
  ])('"%s" is ignored', (header) => {
    expect(retryAfterS(header, NOW)).toBeUndefined()
  })
})
