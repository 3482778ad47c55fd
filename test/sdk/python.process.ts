import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { syncModule, twins, typesModule } from '../../sdk/python/generate.ts'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { filesOf } from '../support/documents.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { folderWithCluster, run, type Service, startService } from '../support/process.ts'
import { expectSize } from '../support/sizes.ts'
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
  const readme = readFileSync(join(folder, 'README.md'), 'utf8')
  const programs = filesOf(readme)
  let service: Service
  let demo: DemoCredentials

  async function start(PORT: string) {
    service = await startService({ DATA_DIR: data.path, PORT, DEMO_DATA: 'on' })
    demo = DemoCredentials.parse(JSON.parse(readFileSync(join(data.path, 'demo.json'), 'utf8')))
  }
  const environmentOf = () => ({
    API: service.base,
    CLIENT_ID: demo.public_client.client_id,
    PYTHONPATH: folder,
    PYTHONDONTWRITEBYTECODE: '1',
  })
  const program = (file: string) => startProgram(python ?? '', [file], desk.path, environmentOf())

  beforeAll(async () => {
    for (const [file, code] of Object.entries(programs)) writeFileSync(join(desk.path, file), code)
    await start(String(await freePort()))
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    for (const one of [desk, data]) one[Symbol.dispose]()
  })

  test('is as small as its README says', () => {
    const words = ['--exclude=__pycache__', '-czf', '-', '-C', folder, 'developer_api']
    expectSize(execFileSync('tar', words).length, readme, /Packed it has less than (\d+) kB/)
  })

  test('passes its own tests against a service', async () => {
    const { viewer } = demo.users
    const env = { ...environmentOf(), DEMO: join(data.path, 'demo.json'), ASYNC_REFRESH_TOKEN: viewer.refresh_token }
    const ran = await run(python ?? '', [join(folder, 'tests/test_sdk.py')], env)
    expect(ran.status, ran.stderr).toBe(0)
    expect(ran.stderr).toMatch(/Ran \d{2} tests/)
  })

  test('is a bot that greets whoever is new, over restarts of the service and of itself', async () => {
    expect((programs['bot.py'] ?? '').trimEnd().split('\n').length).toBeLessThanOrEqual(42)
    {
      await using login = program('login.py')
      const [, address = ''] = await login.until(/Open (\S+)/)
      await allowAt(service.base, demo.users.streamer, address)
      expect(await login.ended).toBe(0)
    }
    const room = roomOf('streamer', () => service.base)
    const { port } = new URL(service.base)
    {
      await using bot = program('bot.py')
      await bot.until(/listening/)
      await room.say(demo.users.viewer.access_token, '!ping')
      await room.until('Welcome, viewer!', demo.users.viewer.access_token)
      await service.stop()
      await service[Symbol.asyncDispose]()
      await start(port)
      await bot.until(/listening\n[\s\S]*listening/)
      await room.say(demo.users.viewer.access_token, 'hello again')
      await room.until('hello again', demo.users.viewer.access_token)
    }
    await using bot = program('bot.py')
    await bot.until(/listening/)
    await room.say(demo.users.viewer.access_token, '!ping')
    const said = await room.until('pong', demo.users.viewer.access_token)
    expect(said.filter((content) => content === 'Welcome, viewer!')).toHaveLength(1)
  })
})
