import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { variables } from '../../src/config.ts'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { Browser } from '../oauth/support/browser.ts'
import { blocksOf, openShell } from '../support/documents.ts'
import { folderWithCluster, run, type Service, startService } from '../support/process.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

describe('the commands of the README', () => {
  const folder = folderWithCluster()
  const env = { DATA_DIR: folder.path, CRON_SECRET: 'a-secret-of-the-clock' }
  let service: Service
  let shell: ReturnType<typeof openShell>

  beforeAll(async () => {
    service = await startService(env)
    shell = openShell(env)
  })
  afterAll(async () => {
    shell[Symbol.dispose]()
    await service[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  /** What stands in the document is for the defaults; npx would only take its time. */
  const here = (block: string) =>
    block
      .replaceAll('http://127.0.0.1:3000', service.base)
      .replaceAll("'.data/", `'${folder.path}/`)
      .replaceAll('npx developer-api', 'node bin/developer-api.mjs')
      .replaceAll('curl -s', 'curl -sS --fail-with-body')

  test('work when they are pasted, one after the other', async () => {
    const blocks = blocksOf('README.md', 'sh')
    expect(blocks.length).toBeGreaterThan(10)
    for (const block of blocks) {
      const { output, status } = await shell.run(`${here(block).trimEnd().replaceAll('\n', ' &&\n')}`)
      expect({ block, status, output: status === 0 ? '' : output }).toEqual({ block, status: 0, output: '' })
      const [authorization] = /http:\S+\/oauth\/authorize\S+/.exec(output) ?? []
      if (authorization) await shell.run(`CODE=${await codeFrom(authorization)}`)
    }
  })

  /** What a person does in between: logs in, allows it, and takes the code out of the address. */
  async function codeFrom(authorization: string): Promise<string> {
    const { users } = DemoCredentials.parse(JSON.parse(readFileSync(join(folder.path, 'demo.json'), 'utf8')))
    const browser = new Browser(service.base)
    const { password } = users.viewer
    await browser.submit(await browser.get('/login'), '/login', { username: 'viewer', password })
    const left = await browser.submit(await browser.get(authorization), '/oauth/authorize', { decision: 'allow' })
    return left.location?.searchParams.get('code') ?? ''
  }
})

test('npx finds the command line', async () => {
  expect(await run('npx', ['developer-api', '--version'])).toMatchObject({ status: 0, stdout: '1.0.0\n' })
})

describe('the README', () => {
  const readme = readFileSync('README.md', 'utf8')
  const rows = [...readme.matchAll(/^\| *`([A-Z_]+)` *\| *(\S+) *\|/gm)]

  test('names every variable with its default, and no other', () => {
    const shown = Object.fromEntries(rows.map(([, name, byDefault]) => [name, byDefault]))
    expect(shown).toEqual(
      Object.fromEntries(Object.entries(variables).map(([name, schema]) => [name, defaultOf(schema)])),
    )
  })

  test('names every command', async () => {
    const { stdout } = await run(process.execPath, ['bin/developer-api.mjs', '--help'])
    const commands = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name).filter((name) => name !== 'help')
    expect(commands.length).toBeGreaterThan(8)
    for (const command of commands) expect(readme).toMatch(new RegExp(`^\\|.*\`${command}[ \`]`, 'm'))
  })
})

function defaultOf(schema: (typeof variables)[keyof typeof variables]): string {
  const { data } = schema.safeParse(undefined)
  if (data === undefined) return '–'
  return typeof data === 'string' && data.startsWith('/') ? relative(process.cwd(), data) : String(data)
}

test('every dependency has a reason in ARCHITECTURE.md, and nothing else has', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const installed = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
  const [, packages = ''] = readFileSync('ARCHITECTURE.md', 'utf8').split('## Packages')
  const firstCells = packages.match(/^\| `[^|]+/gm)?.join() ?? ''
  const explained = [...firstCells.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  expect(installed.filter((name) => !explained.includes(name))).toEqual([])
  expect(explained.filter((name) => !installed.includes(name))).toEqual([])
})
