import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { variables } from '../../src/environment.ts'
import { Browser } from '../support/browser.ts'
import { commandsOf, filesOf, judged, openShell } from '../support/documents.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { folderWithCluster, run, type Service, startService } from '../support/process.ts'

vi.setConfig({ testTimeout: 400_000, hookTimeout: 120_000 })

const readme = readFileSync('README.md', 'utf8')

describe('the commands of the documents', () => {
  const data = folderWithCluster()
  const desk = temporaryFolder()
  const env = { DATA_DIR: data.path, CRON_SECRET: 'a-secret-of-the-clock' }
  let service: Service
  let demo: DemoCredentials
  let port: number

  beforeAll(async () => {
    service = await startService(env)
    demo = DemoCredentials.parse(JSON.parse(readFileSync(join(data.path, 'demo.json'), 'utf8')))
    port = await freePort()
    for (const name of ['bin', 'dist', 'node_modules', 'package.json', 'src']) {
      symlinkSync(resolve(name), join(desk.path, name))
    }
    symlinkSync(data.path, join(desk.path, '.data'))
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    for (const folder of [desk, data]) folder[Symbol.dispose]()
  })

  /** A port for every run; npx would only take its time. A refusal of the service is a failure here. */
  const here = (block: string) =>
    judged(block)
      .replaceAll('127.0.0.1:4000/webhooks', `127.0.0.1:${port}/webhooks`)
      .replaceAll(/node receiver\.mjs( 4000)?/g, `node receiver.mjs ${port}`)
      .replaceAll('npx developer-api', 'node bin/developer-api.mjs')
      .replaceAll(/\bcurl( -s)?\b/g, 'curl -sS --fail-with-body')

  /** Pastes the blocks of a text into one shell, in a folder that looks like the project; returns how many there were. */
  async function paste(text: string, given: Record<string, string> = {}): Promise<number> {
    using shell = openShell({ ...env, ...given }, desk.path)
    const blocks = commandsOf(text)
    for (const block of blocks) {
      const { output, status } = await shell.run(here(block))
      expect({ block, status, output: status === 0 ? '' : output }).toEqual({ block, status: 0, output: '' })
      await goOn(shell, block, output)
    }
    return blocks.length
  }

  /** What a text tells a person to do between two blocks. */
  async function goOn(shell: ReturnType<typeof openShell>, block: string, output: string) {
    const [authorization] = /http:\S+\/oauth\/authorize\S+/.exec(output) ?? []
    if (authorization) await shell.run(`CODE=${await codeFrom(authorization)}`)
    if (block.includes('events listen')) await shell.untilWritten(/^Listening/m)
  }

  /** Logs in, allows it unless that was done before, and takes the code out of the address. */
  async function codeFrom(authorization: string): Promise<string> {
    const browser = new Browser(service.base)
    const { password } = demo.users.viewer
    await browser.submit(await browser.get('/login'), '/login', { username: 'viewer', password })
    const asked = await browser.get(authorization)
    const left = asked.location ? asked : await browser.submit(asked, '/oauth/authorize', { decision: 'allow' })
    return left.location?.searchParams.get('code') ?? ''
  }

  test('those of the README work when they are pasted, one after the other', async () => {
    for (const [file, code] of Object.entries(filesOf(readme))) writeFileSync(join(desk.path, file), code)
    expect(await paste(readme)).toBeGreaterThan(15)
    expect(readFileSync(join(desk.path, 'receiver.log'), 'utf8').match(/^(NOT )?verified$/gm)).toEqual([
      'verified',
      'verified',
      'verified',
    ])
  })

  test.each(readdirSync('docs/guides'))(
    'those of the guide %s work with the credentials that it speaks of',
    async (file) => {
      const served = await (await fetch(`${service.base}/docs/guides/${file}`)).text()
      const { client_id, client_secret } = demo.client
      const text = served
        .replaceAll('API_KEY=lsk_…', `API_KEY=${demo.api_key}`)
        .replaceAll('CLIENT_SECRET=lscs_…', `CLIENT_SECRET=${client_secret}`)
        .replaceAll(/^CLIENT_ID=cli_…$/gm, `CLIENT_ID=${client_id}`)
        .replaceAll('WEBHOOK_SECRET=whsec_… node receiver.mjs', `node receiver.mjs & kill $!`)
        .replaceAll('node bot.mjs', 'node --check bot.mjs') // what goes on for ever runs in test/console/feed-guide.test.ts
        .replaceAll('python3 bot.py', "python3 -c \"compile(open('bot.py').read(), 'bot.py', 'exec')\"")
        .replaceAll('CLIENT_ID=cli_… node signed-call.mjs', 'node --check signed-call.mjs')
      await paste(text, { API_KEY: demo.api_key, ACCESS_TOKEN: demo.users.viewer.access_token })
    },
  )
})

test('npx finds the command line', async () => {
  expect(await run('npx', ['developer-api', '--version'])).toMatchObject({ status: 0, stdout: '1.0.0\n' })
})

describe('the README', () => {
  const rows = [...readme.matchAll(/^\| *`([A-Z0-9_]+)` *\| *(\S+) *\|/gm)]

  test('names every variable with its default, and no other', () => {
    const shown = Object.fromEntries(rows.map(([, name, byDefault]) => [name, byDefault]))
    expect(shown).toEqual(
      Object.fromEntries(Object.entries(variables).map(([name, schema]) => [name, defaultOf(schema)])),
    )
  })
})

function defaultOf(schema: (typeof variables)[keyof typeof variables]): string {
  const { data } = schema.safeParse(undefined)
  if (data === undefined) return '–'
  return typeof data === 'string' && data.startsWith('/') ? relative(process.cwd(), data) : String(data)
}

test('every dependency has a reason in ARCHITECTURE.md, and nothing else has', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const ofTools = JSON.parse(readFileSync('tools/package.json', 'utf8'))
  const theirs = { ...ofTools.dependencies, ...ofTools.optionalDependencies }
  const installed = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies, ...theirs })
  const [, packages = ''] = readFileSync('ARCHITECTURE.md', 'utf8').split('## Packages')
  const firstCells = packages.match(/^\| `[^|]+/gm)?.join() ?? ''
  const explained = [...firstCells.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
  expect(installed.filter((name) => !explained.includes(name))).toEqual([])
  expect(explained.filter((name) => !installed.includes(name))).toEqual([])
})
