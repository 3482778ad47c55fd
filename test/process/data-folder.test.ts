import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { prepareDataDir } from '../../src/process/data-dir.ts'
import { temporaryFolder } from '../support/folder.ts'

test('what is wrong with DATA_DIR is told in one line that says what to do', () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'file')
  writeFileSync(file, '')
  const wrong = /^DATA_DIR \/\S+ (is|may|cannot).+: .*DATA_DIR to a(nother)? folder/
  for (const path of [file, join(file, 'below'), '/sys/developer-api', '/proc/developer-api']) {
    expect(() => prepareDataDir(path), path).toThrow(wrong)
  }
})

test('a folder that is not there is made', () => {
  using folder = temporaryFolder()
  expect(() => prepareDataDir(join(folder.path, 'a', 'b'))).not.toThrow()
})
