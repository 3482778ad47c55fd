import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { filesOf } from '../support/documents.ts'

const guides = readdirSync('docs/guides').filter((name) => name.endsWith('.md'))
const documents = [...guides.map((name) => `docs/guides/${name}`), 'sdk/typescript/README.md', 'sdk/python/README.md']

const reads = /readFileSync\(|\.read_text\(/
const writes = /writeFileSync\(|\.write_text\(|open\(.*"w"\)/
const replaces = /renameSync\(|\.replace\(/

/** Written in place, a file is empty for a moment: who is killed then has lost a cursor, or a login for good. */
test('a program that reads again what it has kept replaces the file instead of writing into it', () => {
  const programs = documents.flatMap((document) =>
    Object.entries(filesOf(readFileSync(document, 'utf8'))).map(([file, code]) => ({
      name: `${document}: ${file}`,
      code,
    })),
  )
  const keeping = programs.filter(({ code }) => reads.test(code) && writes.test(code))
  expect(keeping.length).toBeGreaterThanOrEqual(7)
  expect(keeping.filter(({ code }) => !replaces.test(code)).map(({ name }) => name)).toEqual([])
})
