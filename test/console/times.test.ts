import { describe, expect, test } from 'vitest'
import { instantOfText, textOfInstant } from '../../src/client/console/components/forms/time-text.ts'
import { describeAge, describeTime, exactTime } from '../../src/client/console/components/times.ts'
import { stepNames } from '../../src/client/console/developer/usage/step-names.ts'

const AT = '2026-03-03T14:05:07.042Z'

test('a time says its zone, and is exact to the millisecond', () => {
  expect(describeTime(AT, 'UTC')).toBe('Mar 3, 2026, 14:05:07 UTC')
  expect(exactTime(AT, 'UTC')).toBe('Mar 3, 2026, 14:05:07.042 UTC')
  expect(exactTime(AT, 'Asia/Tokyo')).toBe('Mar 3, 2026, 23:05:07.042 GMT+9')
})

test('an age is told up to two weeks, then the time', () => {
  const now = Date.parse(AT)
  expect(describeAge('2026-03-03T14:05:05.000Z', now)).toBe('just now')
  expect(describeAge('2026-03-03T13:05:07.042Z', now)).toBe('1 hour ago')
  expect(describeAge('2026-02-01T00:00:00.000Z', now)).toMatch(/^(Jan 31|Feb 1), 2026/)
})

test('the steps of a chart are named in the zone in which times are shown, days as they are counted', () => {
  const hour = (zone: string) => stepNames('2026-03-03T23:00:00.000Z', 'hour', zone)
  expect(hour('UTC')).toMatchObject({ mark: '23:00', title: 'Tue, 23:00 UTC' })
  expect(hour('Asia/Tokyo')).toMatchObject({ mark: '08:00', title: 'Wed, 08:00 GMT+9' })
  expect(stepNames('2026-03-03T00:00:00.000Z', 'day', 'America/New_York').title).toBe('Tue, Mar 3')
})

describe('a time that is typed', () => {
  test.each([
    ['2026-03-03 14:05', '2026-03-03T14:05:00.000Z'],
    [' 2026-03-03T14:05:09 ', '2026-03-03T14:05:09.000Z'],
    ['2026-03-03', '2026-03-03T00:00:00.000Z'],
    ['2026-03-03T14:05:00+02:00', '2026-03-03T12:05:00.000Z'],
  ])('as %j is understood', (text, instant) => {
    expect(instantOfText(text, true)).toBe(instant)
  })

  test.each(['', 'yesterday', '3/3/2026', '2026-02-30', '2026-13-01', '2026-03-03 25:00', '2026-03-03 14:61'])(
    'as %j is not',
    (text) => {
      expect([instantOfText(text, true), instantOfText(text, false)]).toEqual([undefined, undefined])
    },
  )

  test('is shown as it is typed, in either zone', () => {
    for (const isUtc of [true, false]) {
      const instant = instantOfText('2026-07-01 14:05', isUtc)
      expect(instant && textOfInstant(instant, isUtc)).toBe('2026-07-01 14:05')
    }
  })
})
