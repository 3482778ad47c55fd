import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { rowsOf, textsBelow } from '../support/texts.ts'

const RULE = /\b[A-Z]\d{2}\b/g
const FAULT = /\b(?:CVE-\d{4}-\d+|GHSA(?:-\w{4}){3})\b/g

const document = readFileSync('docs/oauth-rules.md', 'utf8')
const rows = rowsOf(document)
const listed = rows.map(([id = '']) => id).filter((id) => /^[A-Z]\d{2}$/.test(id))
const tests = textsBelow('test').filter(({ path }) => /\.(test|browser|process|scale)\.ts$/.test(path))
const foundIn = (texts: readonly string[], pattern: RegExp) => [
  ...new Set(texts.flatMap((text) => text.match(pattern) ?? [])),
]

describe('docs/oauth-rules.md', () => {
  test('lists every rule once, and exactly those that tests name', () => {
    expect(listed).toEqual([...new Set(listed)])
    const named = foundIn(
      tests.map(({ text }) => text),
      RULE,
    )
    expect(named.toSorted()).toEqual(listed.toSorted())
  })

  test('lists exactly the published faults that tests name', () => {
    const named = foundIn(
      tests.map(({ text }) => text),
      FAULT,
    )
    expect(foundIn([document], FAULT).toSorted()).toEqual(named.toSorted())
  })

  test('refers to rules that it lists, and says of each what holds and why', () => {
    for (const id of foundIn([document], RULE)) expect(listed, id).toContain(id)
    for (const [id, ...cells] of rows.filter(([first = '']) => listed.includes(first))) {
      expect(
        cells.filter((cell) => cell.length > 3),
        id,
      ).toHaveLength(2)
    }
  })
})
