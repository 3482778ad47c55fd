import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
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
import { FFMPEG, missingOfStreams as missing, startEncoder, startNginxRtmp } from '../support/media-server.ts'
import { startService } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'

vi.setConfig({ testTimeout: 240_000 })

/** A machine may be five times slower than another; what was measured is printed. */
const SLOWNESS = 5
const WAIT_MS = 100

type Found = { id: string; thumbnail_url: string | null; type: string; sequence: number }

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

test.skipIf(missing)(
  `an encoder makes its channel live by nginx-rtmp, and nobody sees its key${missing ? ` (${missing})` : ''}`,
  async ({ annotate }) => {
    using folder = temporaryFolder()
    const own = await createTestContext({ now: () => new Date() })
    await using _own = own
    await using proxy = await createDatabaseProxy(own.target)
    await using receiver = await startReceiver()
    const [port, door] = [await freePort(), await freePort()]
    await using nginx = await startNginxRtmp(folder.path, door)
    const ada = await own.user('ada')
    const principal = { kind: 'user', userId: ada.id, username: 'ada', clientId: null, scopes: [] } as const
    const roll = () => rollStreamKey({ ...own.context, principal })
    const { key } = await roll()
    await using early = startEncoder(`${nginx.address}/${key}`)
    expect(await early.ended, 'with the door closed').not.toBe(0)
    const service = await startService({
      DATABASE_URL: addressOf(proxy.target),
      SECRET_KEYS: 'k'.repeat(32),
      DATA_DIR: folder.path,
      PORT: String(port),
      INGEST_PORT: String(door),
      INGEST_HLS_URL: `${nginx.hls.base}/{channel}.m3u8`,
      DEMO_DATA: 'off',
      WEBHOOK_ALLOW_PRIVATE: 'on',
    })
    await using _service = service
    expect(service.isReady, service.output.text.stderr).toBe(true)

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

    const isLetIn = async ({ ended }: { ended: Promise<unknown> }, times: number) => {
      let hasEnded = false
      void ended.then(() => {
        hasEnded = true
      })
      const count = () => service.output.text.stdout.match(/Encoder publishes/g)?.length
      await found(async () => hasEnded || count() === times)
      expect(count(), service.output.text.stdout).toBe(times)
    }

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

    first.fallSilent()
    await service.output.holds(/Encoder has gone/)
    await own.elapse(ingestConnections, 'expiresAt', 18_000) // beside the two until it was dropped
    await using third = startEncoder(`${nginx.address}/${key}`)
    await isLetIn(third, 2)
    expect((await live())?.id).toBe(id)

    const { key: other } = await roll()
    expect(await third.ended).not.toBe(0)
    await using fourth = startEncoder(`${nginx.address}/ada?key=${other}`)
    await isLetIn(fourth, 3)
    expect((await live())?.id).toBe(id)
    const pieces = readdirSync(nginx.hls.folder)
    expect(pieces.filter((name) => !/^ada(-\d+\.ts|\.m3u8(\.bak)?)$/.test(name))).toEqual([])
    const playlist = await (await fetch(`${nginx.hls.base}/ada.m3u8`)).text()
    expect(playlist).toContain('#EXTINF')
    await fourth.stop('SIGINT')
    await found(async () => service.output.text.stdout.match(/Encoder has gone/g)?.length === 2)
    await own.elapse(ingestConnections, 'expiresAt', 61_000)
    await found(async () => (await live()) === undefined)

    const hooks = await receiver.received(2)
    const feed = await read(`/v1/events?since=2026-01-01T00:00:00.000Z&types=${types}`)
    expect(hooks.map(({ event }) => event.type)).toEqual(types)
    expect(feed.data.map(({ type, sequence }) => [type, sequence])).toEqual(types.map((type, n) => [type, n + 1]))
    await found(async () => {
      await own.elapse(thumbnails, 'expiresAt', 300_000) // of one that was taken as the stream ended nobody knows: it comes late
      return (await fetch(url)).status === 404 && readdirSync(join(folder.path, 'thumbnails')).length === 0
    })
    const visible = [
      url,
      JSON.stringify(hooks),
      JSON.stringify(feed),
      playlist,
      ...nginx.logs.map((file) => readFileSync(file, 'utf8')),
    ]
    for (const text of [...visible, service.output.text.stdout, service.output.text.stderr])
      for (const secret of [key, other]) expect(text).not.toContain(secret)
  },
)

const addressOf = (target: DatabaseTarget) =>
  typeof target === 'string' ? target : `postgres://${target.user}@${target.host}:${target.port}/${target.database}`
