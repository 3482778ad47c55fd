import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesOf } from '../../support/documents.ts'

export const guide = (name: string) => readFileSync(`docs/guides/${name}.md`, 'utf8')

/** Writes a guide's example to a file and returns its path: what a reader copies is what is tested. */
export function writeExample(folder: string, name: string, file: string): string {
  const code = filesOf(guide(name))[file]
  if (code === undefined) throw new Error(`${name}.md has no example ${file}`)
  const path = join(folder, file)
  writeFileSync(path, code)
  return path
}
