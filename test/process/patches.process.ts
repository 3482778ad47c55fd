import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { run } from '../support/process.ts'

const DRIVER = 'node_modules/postgres'
const PATCHED = ['src/connection.js', 'src/index.js', 'src/queue.js', 'src/result.js']

/** A project whose driver is as the registry has it. */
async function unpatchedProject() {
  const folder = temporaryFolder()
  writeFileSync(join(folder.path, 'package.json'), '{}')
  mkdirSync(join(folder.path, 'node_modules'))
  for (const name of ['patches', DRIVER]) cpSync(name, join(folder.path, name), { recursive: true })
  const program = createRequire(import.meta.url).resolve('patch-package')
  const reversed = await run('sh', ['-c', `cd "${folder.path}" && "${process.execPath}" "${program}" --reverse`])
  expect(reversed.status, reversed.stdout).toBe(0)
  return folder
}

const patch = (root: string) =>
  run(process.execPath, [
    '--input-type=module',
    '-e',
    `
    import { patchPackages } from './patch.mjs'
    try {
      patchPackages(${JSON.stringify(root)})
    } catch (error) {
      console.error(error.message)
      process.exitCode = 1
    }`,
  ])

const filesIn = (root: string) => PATCHED.map((name) => readFileSync(join(root, DRIVER, name), 'utf8'))

test('what is installed without scripts is patched, also by several processes at once, and once', async () => {
  using project = await unpatchedProject()
  expect(filesIn(project.path)).not.toEqual(filesIn('.'))
  for (const { status, stderr } of await Promise.all([1, 2, 3].map(() => patch(project.path)))) {
    expect([status, stderr]).toEqual([0, ''])
  }
  expect(filesIn(project.path)).toEqual(filesIn('.'))
  const changedAt = () => PATCHED.map((name) => statSync(join(project.path, DRIVER, name)).mtimeMs)
  const before = changedAt()
  expect((await patch(project.path)).status).toBe(0)
  expect(changedAt()).toEqual(before)
  expect(readdirSync(join(project.path, 'node_modules'))).toEqual(['postgres'])
})

test('npm still trusts its list of what is installed, so that npx need not read every package', async () => {
  using project = await unpatchedProject()
  const list = join(project.path, 'node_modules/.package-lock.json')
  writeFileSync(list, '{}')
  const past = new Date(0)
  utimesSync(list, past, past)
  expect((await patch(project.path)).status).toBe(0)
  for (const folder of ['node_modules', DRIVER, join(DRIVER, 'src')]) {
    expect(statSync(join(project.path, folder)).mtimeMs, folder).toBeLessThanOrEqual(statSync(list).mtimeMs + 10)
  }
  expect(readFileSync(list, 'utf8')).toBe('{}')
})

test('a package that the patches do not fit is left as it is, and one line says what to do', async () => {
  using project = await unpatchedProject()
  writeFileSync(join(project.path, DRIVER, 'src/queue.js'), '// another release\n')
  const before = readFileSync(join(project.path, DRIVER, 'src/connection.js'), 'utf8')
  const { status, stderr } = await patch(project.path)
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^patches\/ do not fit node_modules\/postgres: run npm ci, or [^\n]+\n$/),
  ])
  expect(readFileSync(join(project.path, DRIVER, 'src/connection.js'), 'utf8')).toBe(before)
})

test('a package with the patches of another release is told apart', async () => {
  using project = await unpatchedProject()
  await patch(project.path)
  const [first = ''] = readdirSync(join(project.path, 'patches')).filter((name) => name.endsWith('.patch'))
  appendFileSync(join(project.path, 'patches', first), '\n')
  expect(await patch(project.path)).toMatchObject({ status: 1, stderr: expect.stringContaining('run npm ci') })
})
