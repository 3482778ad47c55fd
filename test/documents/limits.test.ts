import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rateLimits } from '../../src/domain/core/rate-limits.ts'
import * as lengths from '../../src/shared/limits.ts'

const guide = readFileSync('docs/guides/limits.md', 'utf8')
const shown = (points: number) => points.toLocaleString('en')
const spans: Record<number, string> = {
  30: '30 seconds',
  60: 'a minute',
  900: '15 minutes',
  3600: 'an hour',
  86400: 'a day',
}

test('the guide names every limit of rates', () => {
  const missing = Object.values(rateLimits).filter(
    ({ points, windowS }) =>
      !guide.includes(`| ${shown(points)} in ${spans[windowS]}`) &&
      !guide.includes(`; ${shown(points)} in ${spans[windowS]}`),
  )
  expect(missing).toEqual([])
})

test('the guide names every length of texts', () => {
  for (const [name, length] of Object.entries(lengths))
    expect(guide, name).toMatch(new RegExp(`\\b${shown(length)}\\b`))
})
