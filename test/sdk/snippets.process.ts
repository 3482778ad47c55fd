import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { newSigningSecret } from '../../src/domain/webhooks/secrets/sign.ts'
import { filesOf } from '../support/documents.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { folderWithCluster, runCommand, type Service, startService } from '../support/process.ts'
import { allowAt, roomOf, startProgram } from './support/bot.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** Somebody’s own folder, in which the package and the programs of its README are, and nothing else. */
const desk = temporaryFolder()
const data = folderWithCluster()
const examples = filesOf(readFileSync('sdk/typescript/README.md', 'utf8'))
/** Those for a page and for Next.js are tried by test/tools/sdk-package.tools.ts. */
const programs = Object.fromEntries(Object.entries(examples).filter(([file]) => file.endsWith('.mjs')))
let service: Service
let demo: DemoCredentials
let env: Record<string, string>

async function start(PORT: string) {
  service = await startService({ DATA_DIR: data.path, PORT, DEMO_DATA: 'on' })
  demo = DemoCredentials.parse(JSON.parse(readFileSync(join(data.path, 'demo.json'), 'utf8')))
}

beforeAll(async () => {
  const packed = execFileSync(process.execPath, ['pack-sdk.mjs', join(desk.path, 'sdk')], { encoding: 'utf8' }).trim()
  writeFileSync(join(desk.path, 'package.json'), '{ "type": "module", "private": true }')
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', join(process.cwd(), packed)], {
    cwd: desk.path,
  })
  for (const [file, code] of Object.entries(programs)) writeFileSync(join(desk.path, file), code)
  await start(String(await freePort()))
  env = { API: service.base, CLIENT_ID: demo.public_client.client_id, API_KEY: demo.api_key }
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  for (const folder of [desk, data]) folder[Symbol.dispose]()
})

const run = (file: string, more: Record<string, string> = {}) =>
  startProgram(process.execPath, [file], desk.path, { ...env, ...more })
const room = () => roomOf('streamer', () => service.base)

/** What a newcomer does first: logs in as the owner of the channel. */
async function logIn() {
  await using login = run('login.mjs')
  const [, address = ''] = await login.until(/Open (\S+)/)
  expect(await (await allowAt(service.base, demo.users.streamer, address)).text()).toMatch(/^Done/)
  expect(await login.ended).toBe(0)
}

describe('the programs of the README, with nothing installed but the package', () => {
  test('log in, and answer !ping', async () => {
    await logIn()
    await using ping = run('ping.mjs')
    await ping.until(/listening/)
    const { viewer } = demo.users
    await room().say(viewer.access_token, '!ping')
    expect(await room().until('pong', demo.users.streamer.access_token)).toContain('pong')
  })

  test('call, walk lists and show what was refused', async () => {
    await using calls = run('calls.mjs')
    expect(await calls.ended).toBe(0)
    expect(calls.text()).toMatch(/^streamer is live$/m)
    expect(calls.text()).toMatch(/^channel_not_found 404 true$/m)
  })

  test('are a receiver of webhooks, which does everything right', async () => {
    const secret = newSigningSecret()
    await using receiver = run('receiver.mjs', { PORT: '0', WEBHOOK_SECRET: secret })
    const [, port = ''] = await receiver.until(/listening on (\d+)/)
    const checked = await runCommand(['check-receiver', `http://127.0.0.1:${port}/`], { WEBHOOK_SECRET: secret })
    expect(checked).toMatchObject({ status: 0, stdout: expect.stringContaining('0 missed') })
    expect(receiver.text()).toMatch(/^\w+: .+$/m)
  })

  test('are a bot that greets whoever is new, over restarts of the service and of itself', async () => {
    const lines = (programs['bot.mjs'] ?? '').trimEnd().split('\n').length
    expect(lines).toBeLessThanOrEqual(42)
    await logIn()
    const port = new URL(service.base).port
    const welcomes = (said: string[]) => said.filter((content) => content.startsWith('Welcome, '))
    {
      await using bot = run('bot.mjs')
      await bot.until(/listening/)
      await room().say(demo.users.viewer.access_token, 'hello')
      await room().until('Welcome, viewer!', demo.users.streamer.access_token)
      await service.stop()
      await service[Symbol.asyncDispose]()
      await start(port)
      await bot.until(/listening\n[\s\S]*listening/)
      await room().say(demo.users.viewer.access_token, 'hello again')
      expect(await bot.stop()).toBe(0)
    }
    const before = readFileSync(join(desk.path, 'bot.json'), 'utf8')
    await room().say(demo.users.outsider.access_token, 'anybody here?')
    {
      await using _killed = run('bot.mjs')
      await room().until('Welcome, outsider!', demo.users.streamer.access_token)
    }
    writeFileSync(join(desk.path, 'bot.json'), before) // so it is where it was killed before it kept that
    await using bot = run('bot.mjs')
    await vi.waitFor(
      () => expect(JSON.parse(readFileSync(join(desk.path, 'bot.json'), 'utf8')).greeted).toHaveLength(2),
      30_000,
    )
    const said = await room().until('hello again', demo.users.streamer.access_token)
    expect(welcomes(said).toSorted()).toEqual(['Welcome, outsider!', 'Welcome, viewer!'])
    expect(await bot.stop()).toBe(0)
  })
})
