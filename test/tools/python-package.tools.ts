import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { filesOf } from '../support/documents.ts'
import { temporaryFolder } from '../support/folder.ts'
import { folderWithCluster, run as runProgram, startService } from '../support/process.ts'
import { expectSize } from '../support/sizes.ts'

/** Somebody's own folder and environment: nothing is there that pip did not bring. */
const desk = temporaryFolder()
const inEnvironment = (name: string) => join(desk.path, 'venv/bin', name)
const run = (program: string, ...words: string[]) => {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    cwd: desk.path,
    encoding: 'utf8',
    timeout: 250_000,
    env: { ...process.env, PIP_RETRIES: '1', PIP_DISABLE_PIP_VERSION_CHECK: '1' }, // of several indexes one may not be there
  })
  return { isDone: status === 0, output: `${stdout}${stderr}${error ?? ''}` }
}

const made = run('python3', '-m', 'venv', 'venv')
const index = made.isDone ? run(inEnvironment('pip'), 'download', '-q', '--no-deps', '-d', 'found', 'idna') : made
if (!index.isDone) process.stderr.write(`The SDK for Python is not installed as a package here:\n${index.output}\n`)

afterAll(() => desk[Symbol.dispose]())

describe.skipIf(!index.isDone)('the SDK for Python, as pip installs it', () => {
  const readme = readFileSync(resolve('sdk/python/README.md'), 'utf8')
  const programs = filesOf(readme)

  beforeAll(() => {
    cpSync(resolve('sdk/python'), join(desk.path, 'sdk/python'), { recursive: true }) // pip builds beside the sources
    const installed = run(inEnvironment('pip'), 'install', '-q', './sdk/python', 'mypy')
    if (!installed.isDone) throw new Error(installed.output)
    for (const [file, code] of Object.entries(programs)) writeFileSync(join(desk.path, file), code)
  })

  test('brings its types, which are strict themselves, and by which the programs of the README are checked', () => {
    const itself = run(inEnvironment('mypy'), '--strict', '-p', 'developer_api')
    expect(itself.isDone, itself.output).toBe(true)

    const files = Object.keys(programs).filter((file) => file.endsWith('.py'))
    expect(files).toContain('bot.py')
    const checked = run(inEnvironment('mypy'), '--strict', ...files)
    expect(checked.isDone, checked.output).toBe(true)
    writeFileSync(join(desk.path, 'wrong.py'), 'from developer_api import DeveloperApi\nDeveloperApi(1).sing()\n')
    const wrong = run(inEnvironment('mypy'), '--strict', 'wrong.py')
    expect(wrong.output).toMatch(/no attribute "sing"/)
  })

  test('passes its own tests with the newest httpx, against a service', async () => {
    using data = folderWithCluster()
    await using service = await startService({ DATA_DIR: data.path, DEMO_DATA: 'on' })
    const DEMO = join(data.path, 'demo.json')
    const { users } = DemoCredentials.parse(JSON.parse(readFileSync(DEMO, 'utf8')))
    const env = { API: service.base, DEMO, ASYNC_REFRESH_TOKEN: users.viewer.refresh_token }
    const ran = await runProgram(inEnvironment('python'), [join(desk.path, 'sdk/python/tests/test_sdk.py')], env)
    expect(ran.status, ran.stderr).toBe(0)
    expect(ran.stderr).toMatch(/Ran \d{2} tests/)
  })

  test('is as small as its README says', () => {
    const packed = run(inEnvironment('pip'), 'wheel', '-q', '--no-deps', '-w', 'packed', './sdk/python')
    expect(packed.isDone, packed.output).toBe(true)
    const [wheel = '', ...others] = readdirSync(join(desk.path, 'packed'))
    expect([wheel.endsWith('.whl'), others]).toEqual([true, []])
    expectSize(statSync(join(desk.path, 'packed', wheel)).size, readme, /Packed, as a wheel, it has less than (\d+) kB/)
  })

  test('is the package, and not the folder beside it', () => {
    const found = run(inEnvironment('python'), '-c', 'import developer_api; print(developer_api.__file__)')
    expect(found.output).toContain('site-packages')
  })
})
