import { expect, test } from 'vitest'
import { openFilesWarnings } from '../../src/process/open-files.ts'

const limits = (max: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             unlimited            unlimited            processes
Max open files            ${max.padEnd(21)}${max.padEnd(21)}files
`

test('a low limit of open files is told in one line that says what to do', () => {
  const [line, ...others] = openFilesWarnings(limits('1024'))
  expect(line).toMatch(
    /^This process may open 1024 files, fewer than the 11500 .*: allow 16384 \(ulimit -n, LimitNOFILE/,
  )
  expect(others).toEqual([])
})

test.each(['11500', '65536', 'unlimited'])('nothing is told where %s are allowed', (max) => {
  expect(openFilesWarnings(limits(max))).toEqual([])
})

test('nor where the kernel says nothing of it', () => {
  expect(openFilesWarnings('')).toEqual([])
})
