import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { expect, test } from 'vitest'

const { options, forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs')

test('layers and rooms of the domain import only downwards, nothing in a circle, and packages stay where they live', async () => {
  const { output } = await cruise(['src'], { ...options, validate: true, ruleSet: { forbidden } })
  const { modules, summary } = output as ICruiseResult
  const ours = modules.map(({ source }) => source).filter((source) => /^src\/.*\.tsx?$/.test(source))

  expect(ours.toSorted()).toEqual(sourceFiles()) // a cruise that finds no modules finds no violations either
  expect(summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)).toEqual([])
})

test('no folder is a drawer: 25 files at most', () => {
  const sizes = new Map<string, number>()
  for (const file of sourceFiles()) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1)
  expect([...sizes].filter(([, files]) => files > FLAT_MAX)).toEqual([])
})

const FLAT_MAX = 25

const sourceFiles = () =>
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .filter((name) => /\.tsx?$/.test(name))
    .toSorted()
