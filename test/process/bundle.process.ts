import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { build } from '../support/process.ts'

/** What a built file imports from its start, and what those import. */
function filesFrom(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  const text = readFileSync(`dist/${name}`, 'utf8')
  for (const [, next = ''] of text.matchAll(/(?:from|import\() ?"\.\/([^"]+\.js)"/g)) filesFrom(next, seen)
  return seen
}

test('the service runs tRPC as it is written, not as it is compiled for old browsers', () => {
  build()
  const files = [...filesFrom('main.js')].map((name) => readFileSync(`dist/${name}`, 'utf8'))
  expect(files.some((text) => text.includes('function callRecursive('))).toBe(true)
  expect(files.filter((text) => text.includes('_objectSpread2'))).toEqual([])
})
