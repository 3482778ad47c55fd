import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ingestConnections } from '../../src/db/schema/index.ts'
import { rollStreamKey } from '../../src/domain/ingest/stream-keys.ts'
import { temporaryFolder } from '../support/folder.ts'
import { createIngestStage } from './support/stage.ts'

const SCRIPT = `${process.cwd()}/ops/mediamtx/encoder.sh`
const missing = existsSync('/usr/bin/curl') ? undefined : 'needs the package curl'

const stage = await createIngestStage()
const { context, streamer } = stage
const kicked: string[] = []
/** Stands for the API of MediaMTX. */
const api = createServer((request, response) => {
  kicked.push(`${request.method} ${request.url}`)
  response.end()
})
await once(api.listen(0, '127.0.0.1'), 'listening')
afterAll(async () => {
  api.close()
  await stage[Symbol.asyncDispose]()
})
afterEach(() => context.db.delete(ingestConnections))

const ID = '5d8b8ad0-1c4f-4f0e-9d2c-8c5a3b8f2f10'
const row = async () => (await context.db.select().from(ingestConnections))[0]

/** Asks as MediaMTX does before it lets an encoder publish. */
const publishes = (username: string, query: string) =>
  stage.say({
    user: '',
    password: '',
    token: '',
    ip: '192.0.2.1',
    action: 'publish',
    path: `live/${username}`,
    protocol: 'rtmp',
    id: ID,
    query,
  })

/** Runs the script as MediaMTX runs its hooks. */
function run(what: 'keep' | 'done', env: Record<string, string>, cwd = '/') {
  const address = `http://127.0.0.1:${(api.address() as AddressInfo).port}/v3`
  const child = spawn(SCRIPT, [what], {
    cwd,
    env: {
      PATH: '/usr/bin:/bin',
      API: address,
      EVERY_S: '0.1',
      DOOR: stage.base,
      MTX_SOURCE_TYPE: 'rtmpConn',
      MTX_SOURCE_ID: ID,
      MTX_PATH: 'live/ada',
      ...env,
    },
    stdio: 'ignore',
  })
  return { child, ended: once(child, 'exit') }
}

/** Until it was heard of twice. */
async function isHeardOf(): Promise<void> {
  for (let n = 0; n < 2; n++) {
    const before = (await row())?.seenAt.getTime()
    while ((await row())?.seenAt.getTime() === before) await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe.skipIf(missing)(`the hooks of MediaMTX${missing ? ` (${missing})` : ''}`, () => {
  test.each([
    ['as it is', (query: string) => query],
    ['encoded once more', encodeURIComponent],
  ])('keep whoever publishes until it may not any more, and run nothing of what it says (%s)', async (how, written) => {
    using folder = temporaryFolder()
    const name = `ada_${how.length}`
    const { key, ctx } = await streamer(name)
    const query = `key=${key}&x='; touch here; '"$(touch here)"\`touch here\``
    expect((await publishes(name, query)).status).toBe(200)
    kicked.length = 0
    const { ended } = run('keep', { MTX_QUERY: written(query), MTX_PATH: `live/${name}` }, folder.path)
    await isHeardOf()
    expect(kicked).toEqual([])
    await rollStreamKey(ctx)
    await ended
    expect(kicked).toEqual([`POST /v3/rtmpconns/kick/${ID}`])
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('say that it has gone, and end when MediaMTX says so', async () => {
    const { key } = await streamer('bell')
    await publishes('bell', `token=${key}`)
    const { child, ended } = run('keep', { MTX_QUERY: `token=${key}`, MTX_PATH: 'live/bell' })
    await isHeardOf()
    child.kill('SIGINT')
    await ended
    await run('done', { MTX_QUERY: `token=${key}`, MTX_PATH: 'live/bell' }).ended
    expect((await row())?.connection).toBeNull()
  })

  test('cut nobody off while the service is away', async () => {
    const { key } = await streamer('curie')
    await publishes('curie', `key=${key}`)
    kicked.length = 0
    let asked = 0
    const away = createServer((_request, response) => {
      asked++
      response.writeHead(503).end()
    })
    await once(away.listen(0, '127.0.0.1'), 'listening')
    const DOOR = `http://127.0.0.1:${(away.address() as AddressInfo).port}/internal/ingest`
    const { child, ended } = run('keep', { MTX_QUERY: `key=${key}`, DOOR })
    while (asked < 2) await new Promise((resolve) => setTimeout(resolve, 10))
    away.closeAllConnections()
    away.close()
    await once(away, 'close')
    child.kill('SIGTERM')
    await ended
    expect(kicked).toEqual([])
  })

  test('are named by the configuration, which gives no command what an encoder says', () => {
    const text = readFileSync('ops/mediamtx/mediamtx.yml', 'utf8')
    const { paths, authMethod, apiAddress } = parse(text)
    expect(Object.values(paths)).toEqual([
      { runOnReady: '/etc/mediamtx/encoder.sh keep', runOnNotReady: '/etc/mediamtx/encoder.sh done' },
    ])
    expect([authMethod, apiAddress]).toEqual(['http', '127.0.0.1:9997'])
    expect(text).not.toContain('$MTX')
  })
})
