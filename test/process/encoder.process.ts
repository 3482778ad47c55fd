import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { DatabaseTarget } from '../../src/db/client.ts'
import { ingestConnections, thumbnails } from '../../src/db/schema/index.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import { rollStreamKey } from '../../src/domain/ingest/stream-keys.ts'
import { createTestContext } from '../support/context.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { temporaryFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { startService } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'

vi.setConfig({ testTimeout: 240_000 })

const NGINX = '/usr/sbin/nginx'
const MODULE = '/usr/lib/nginx/modules/ngx_rtmp_module.so'
const FFMPEG = '/usr/bin/ffmpeg'
const isMissing = [NGINX, MODULE, FFMPEG].some((file) => !existsSync(file))
const missing = isMissing ? 'needs the packages nginx-light, libnginx-mod-rtmp and ffmpeg' : undefined
/** A machine may be five times slower than another; what was measured is printed. */
const SLOWNESS = 5
const WAIT_MS = 100

type Found = { id: string; thumbnail_url: string | null; type: string; sequence: number }

/** `ops/nginx-rtmp` as it stands, but for ports, folders, and a check every two seconds in place of ten. */
async function startNginx(folder: string, door: number) {
  const port = await freePort()
  const rtmp = readFileSync('ops/nginx-rtmp/nginx-rtmp.conf', 'utf8')
    .replace('listen 1935;', `listen 127.0.0.1:${port};`)
    .replace('127.0.0.1:1935', `127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:3002', `127.0.0.1:${door}`)
    .replace('/var/lib/nginx-rtmp/', `${folder}/`)
    .replace('notify_update_timeout 10s', 'notify_update_timeout 2s')
  const owner = process.getuid?.() === 0 ? 'user root; ' : ''
  const log = join(folder, 'error.log')
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `load_module ${MODULE}; ${owner}daemon off; pid ${folder}/pid; error_log ${log} warn; events {}\n${rtmp}`,
  )
  const child = spawn(NGINX, ['-e', log, '-c', file], { stdio: 'inherit' })
  const ended = once(child, 'exit')
  return {
    address: `rtmp://127.0.0.1:${port}/live`,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const picture = ['-re', '-f', 'lavfi', '-i', 'testsrc2=size=640x360:rate=10', '-f', 'lavfi', '-i', 'sine']
const coding = [
  '-c:v',
  'libx264',
  '-preset',
  'ultrafast',
  '-g',
  '10',
  '-pix_fmt',
  'yuv420p',
  '-c:a',
  'aac',
  '-f',
  'flv',
]

/** An encoder that sends a test picture until it is stopped. */
function startEncoder(address: string) {
  const child: ChildProcess = spawn(FFMPEG, ['-loglevel', 'error', ...picture, ...coding, address], { stdio: 'ignore' })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  return {
    ended,
    stop: (signal: NodeJS.Signals) => {
      child.kill(signal)
      return ended
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** What `look` finds, once it finds something. */
async function found<Value>(look: () => Promise<Value | undefined | false | null>): Promise<Value> {
  for (;;) {
    const value = await look()
    if (value) return value
    await after(WAIT_MS)
  }
}

/** Width and height, and how many colours a tenth of the picture has: of a real one, many. */
function judge(jpeg: Buffer, folder: string) {
  const file = join(folder, 'judged.jpg')
  writeFileSync(file, jpeg)
  const raw = execFileSync(
    FFMPEG,
    ['-loglevel', 'error', '-i', file, '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1'],
    {
      maxBuffer: 4 * 1024 * 1024,
    },
  )
  const colours = new Set<number>()
  for (let at = 0; at + 3 <= raw.length; at += 30) colours.add(raw.readUIntBE(at, 3))
  return { bytes: raw.length, colours: colours.size }
}

test.skipIf(isMissing)(
  `an encoder makes its channel live by nginx-rtmp, and nobody sees its key${missing ? ` (${missing})` : ''}`,
  async ({ annotate }) => {
    using folder = temporaryFolder()
    mkdirSync(join(folder.path, 'hls'))
    const own = await createTestContext({ now: () => new Date() })
    await using _own = own
    await using proxy = await createDatabaseProxy(own.target)
    await using receiver = await startReceiver()
    const [port, door] = [await freePort(), await freePort()]
    await using nginx = await startNginx(folder.path, door)
    const service = await startService({
      DATABASE_URL: addressOf(proxy.target),
      SECRET_KEYS: 'k'.repeat(32),
      DATA_DIR: folder.path,
      PORT: String(port),
      INGEST_PORT: String(door),
      INGEST_HLS_URL: `${folder.path}/hls/{channel}.m3u8`,
      DEMO_DATA: 'off',
      WEBHOOK_ALLOW_PRIVATE: 'on',
    })
    await using _service = service
    expect(service.isReady, service.output.text.stderr).toBe(true)

    const ada = await own.user('ada')
    const principal = { kind: 'user', userId: ada.id, username: 'ada', clientId: null, scopes: [] } as const
    const roll = () => rollStreamKey({ ...own.context, principal })
    const { key } = await roll()
    const token = await own.token(['livestream:read', 'channel:read', 'webhook:write'])
    const headers = { authorization: `Bearer ${token}` }
    const read = async (path: string) =>
      (await fetch(service.base + path, { headers })).json() as Promise<{ data: Found[] }>
    const live = async () => (await read(`/v1/livestreams/?broadcaster_user_id=${ada.id}`)).data[0]
    const types = ['livestream.started', 'livestream.ended']
    const subscription = new URLSearchParams({ url: receiver.url })
    for (const type of types) subscription.append('event_types', type)
    const subscribed = await fetch(`${service.base}/v1/events/subscriptions`, {
      method: 'POST',
      headers,
      body: subscription,
    })
    expect(subscribed.status).toBe(201)

    await using stranger = startEncoder(`${nginx.address}/${mint('stream')}`)
    expect(await stranger.ended).not.toBe(0)
    expect(await live()).toBeUndefined()

    const begunMs = performance.now()
    await using first = startEncoder(`${nginx.address}/${key}`)
    const { id } = await found(live)
    const liveMs = performance.now() - begunMs
    const { thumbnail_url: url } = await found(async () => {
      const stream = await live()
      return stream !== undefined && stream.thumbnail_url !== null && { thumbnail_url: stream.thumbnail_url }
    })
    const pictureMs = performance.now() - begunMs
    await annotate(`live after ${Math.round(liveMs)} ms, with a picture after ${Math.round(pictureMs)} ms`)
    expect(liveMs).toBeLessThan(3_000 * SLOWNESS)
    expect(pictureMs).toBeLessThan(10_000 * SLOWNESS)
    const shown = await fetch(url)
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    const judged = judge(Buffer.from(await shown.arrayBuffer()), folder.path)
    expect(judged.bytes).toBe(640 * 360 * 3)
    expect(judged.colours).toBeGreaterThan(50)

    await using second = startEncoder(`${nginx.address}/${key}`)
    expect(await second.ended).not.toBe(0)
    expect((await live())?.id).toBe(id)

    await first.stop('SIGKILL')
    await service.output.holds(/Encoder has gone/)
    await own.elapse(ingestConnections, 'expiresAt', 20_000)
    await using third = startEncoder(`${nginx.address}/${key}`)
    await found(async () => service.output.text.stdout.match(/Encoder publishes/g)?.length === 2)
    expect((await live())?.id).toBe(id)

    const { key: other } = await roll()
    expect(await third.ended).not.toBe(0)
    await using fourth = startEncoder(`${nginx.address}/ada?key=${other}`)
    await found(async () => service.output.text.stdout.match(/Encoder publishes/g)?.length === 3)
    expect((await live())?.id).toBe(id)
    const pieces = readdirSync(join(folder.path, 'hls'))
    expect(pieces.filter((name) => !/^ada(-\d+\.ts|\.m3u8(\.bak)?)$/.test(name))).toEqual([])
    expect(pieces).toContain('ada.m3u8')
    await fourth.stop('SIGINT')
    await found(async () => service.output.text.stdout.match(/Encoder has gone/g)?.length === 2)
    await own.elapse(ingestConnections, 'expiresAt', 61_000)
    await found(async () => (await live()) === undefined)

    const hooks = await receiver.received(2)
    const feed = await read(`/v1/events?since=2026-01-01T00:00:00.000Z&types=${types}`)
    expect(hooks.map(({ event }) => event.type)).toEqual(types)
    expect(feed.data.map(({ type, sequence }) => [type, sequence])).toEqual(types.map((type, n) => [type, n + 1]))
    await own.elapse(thumbnails, 'expiresAt', 300_000)
    await found(
      async () => (await fetch(url)).status === 404 && readdirSync(join(folder.path, 'thumbnails')).length === 0,
    )
    const visible = [
      url,
      JSON.stringify(hooks),
      JSON.stringify(feed),
      readFileSync(join(folder.path, 'error.log'), 'utf8'),
    ]
    for (const text of [...visible, service.output.text.stdout, service.output.text.stderr])
      for (const secret of [key, other]) expect(text).not.toContain(secret)
  },
)

const addressOf = (target: DatabaseTarget) =>
  typeof target === 'string' ? target : `postgres://${target.user}@${target.host}:${target.port}/${target.database}`
