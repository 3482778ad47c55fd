import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const documentsOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))

test('no document gives a secret among the arguments of a command, which refuses it there', () => {
  const documents = ['.', 'docs', 'docs/guides'].flatMap(documentsOf)
  expect(documents).toContain('CHANGELOG.md')
  expect(documents.filter((file) => /`[^`]*--(?:key|password)(?!-file)\b/.test(readFileSync(file, 'utf8')))).toEqual([])
})
