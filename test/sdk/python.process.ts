import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { syncModule, twins, typesModule } from '../../sdk/python/generate.ts'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { newSigningSecret } from '../../src/domain/webhooks/secrets/sign.ts'
import { filesOf } from '../support/documents.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { folderWithCluster, run, runCommand, type Service, startService } from '../support/process.ts'
import { allowAt, roomOf, startProgram } from './support/bot.ts'
import { python } from './support/python.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const folder = resolve('sdk/python')
const read = (name: string) => readFileSync(join(folder, 'developer_api', name), 'utf8')

test('what is made from the documents, and for threads from what is for asyncio, is new; else run npm run generate:sdk', () => {
  expect(read('types.py')).toBe(typesModule())
  for (const [aio, made] of Object.entries(twins)) {
    expect(read(made)).toBe(syncModule(read(aio)))
    expect(read(made)).not.toMatch(/\b(async|await|asyncio|Async\w*)\b/i)
  }
})

describe.skipIf(!python)('the SDK for Python', () => {
  const desk = temporaryFolder()
  const data = folderWithCluster()
  const programs = filesOf(readFileSync(join(folder, 'README.md'), 'utf8'))
  let service: Service
  let demo: DemoCredentials

  async function start(PORT: string) {
    service = await startService({ DATA_DIR: data.path, PORT, DEMO_DATA: 'on' })
    demo = DemoCredentials.parse(JSON.parse(readFileSync(join(data.path, 'demo.json'), 'utf8')))
  }
  const environmentOf = () => ({
    API: service.base,
    CLIENT_ID: demo.public_client.client_id,
    API_KEY: demo.api_key,
    PYTHONPATH: folder,
    PYTHONDONTWRITEBYTECODE: '1',
  })
  const program = (file: string, more: Record<string, string> = {}) =>
    startProgram(python ?? '', [file], desk.path, { ...environmentOf(), ...more })
  const room = roomOf('streamer', () => service.base)

  beforeAll(async () => {
    for (const [file, code] of Object.entries(programs)) writeFileSync(join(desk.path, file), code)
    await start(String(await freePort()))
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    for (const one of [desk, data]) one[Symbol.dispose]()
  })

  test('logs in and answers !ping, by the programs of the README', async () => {
    {
      await using login = program('login.py')
      const [, address = ''] = await login.until(/Open (\S+)/)
      expect(await (await allowAt(service.base, demo.users.streamer, address)).text()).toMatch(/^Done/)
      expect(await login.ended).toBe(0)
    }
    await using ping = program('ping.py')
    await ping.until(/listening/)
    await room.say(demo.users.viewer.access_token, '!ping')
    expect(await room.until('pong', demo.users.streamer.access_token)).toContain('pong')
  })

  test('calls, walks lists and shows what was refused, by that of the README', async () => {
    await using calls = program('calls.py')
    expect(await calls.ended, calls.text()).toBe(0)
    expect(calls.text()).toMatch(/^streamer is live$/m)
    expect(calls.text()).toMatch(/^channel_not_found 404 True$/m)
  })

  test('is a receiver of webhooks, which does everything right', async () => {
    const secret = newSigningSecret()
    await using receiver = program('receiver.py', { PORT: '0', WEBHOOK_SECRET: secret })
    const [, port = ''] = await receiver.until(/listening on (\d+)/)
    const checked = await runCommand(['check-receiver', `http://127.0.0.1:${port}/`], { WEBHOOK_SECRET: secret })
    expect(checked).toMatchObject({ status: 0, stdout: expect.stringContaining('0 missed') })
    expect(receiver.text()).toMatch(/^\w+: .+$/m)
  })

  test('is a bot that greets whoever is new, over restarts of the service and of itself', async () => {
    expect((programs['bot.py'] ?? '').trimEnd().split('\n').length).toBeLessThanOrEqual(42)
    const { streamer, viewer, outsider } = demo.users
    const { port } = new URL(service.base)
    {
      await using bot = program('bot.py')
      await bot.until(/listening/)
      await room.say(viewer.access_token, 'hello')
      await room.until('Welcome, viewer!', streamer.access_token)
      await service.stop()
      await service[Symbol.asyncDispose]()
      await start(port)
      await bot.until(/listening\n[\s\S]*listening/)
      await room.say(viewer.access_token, 'hello again')
    }
    const before = readFileSync(join(desk.path, 'bot-state.json'), 'utf8')
    await room.say(outsider.access_token, 'anybody here?')
    {
      await using _killed = program('bot.py')
      await room.until('Welcome, outsider!', streamer.access_token)
    }
    writeFileSync(join(desk.path, 'bot-state.json'), before) // so it is where it was killed before it kept that
    await using bot = program('bot.py')
    await vi.waitFor(
      () => expect(JSON.parse(readFileSync(join(desk.path, 'bot-state.json'), 'utf8')).greeted).toHaveLength(2),
      30_000,
    )
    const said = await room.until('hello again', streamer.access_token)
    const welcomes = said.filter((content) => content.startsWith('Welcome, '))
    expect(welcomes.toSorted()).toEqual(['Welcome, outsider!', 'Welcome, viewer!'])
    expect(bot.text()).toMatch(/listening/)
  })

  test('passes its own tests against a service', async () => {
    const { viewer } = demo.users
    const env = { ...environmentOf(), DEMO: join(data.path, 'demo.json'), ASYNC_REFRESH_TOKEN: viewer.refresh_token }
    const ran = await run(python ?? '', [join(folder, 'tests/test_sdk.py')], env)
    expect(ran.status, ran.stderr).toBe(0)
    expect(ran.stderr).toMatch(/Ran \d{2} tests/)
  })
})
