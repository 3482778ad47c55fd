import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ingestConnections, livestreams, thumbnails } from '../../src/db/schema/index.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { publish } from '../../src/domain/ingest/publish.ts'
import { rollStreamKey } from '../../src/domain/ingest/stream-keys.ts'
import { removeOldPictures } from '../../src/domain/ingest/thumbnails/remove.ts'
import { folderStorage } from '../../src/domain/ingest/thumbnails/storage.ts'
import { takeDuePictures } from '../../src/domain/ingest/thumbnails/take.ts'
import { endLivestream, livestreamOf } from '../../src/domain/livestreams.ts'
import { createTestApp } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'

const folder = temporaryFolder()
const storage = folderStorage(join(folder.path, 'pictures'))
const ingest = { serverUrl: undefined, secret: undefined }
const app = await createTestApp({ thumbnails: storage, ingest })
const { context } = app
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})
const { signal } = new AbortController()

/** Stands for ffmpeg: makes a picture of the bytes that it is given, or does what the test says. */
function program(name: string, script: string): string {
  const path = join(folder.path, name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}
const ffmpeg = program('ffmpeg', `printf '\\377\\330 of '; cat`)
const source = join(folder.path, '{channel}.m3u8')
const settings = { source, ffmpeg, storage, publicUrl: app.base }
const take = (more: object = {}, by = signal) => takeDuePictures(context, { ...settings, ...more }, by)
const passes = (ms: number) => app.elapse(ingestConnections, 'frameDueAt', ms)
const kept = () => readdirSync(join(folder.path, 'pictures'))
const write = (name: string, content: string) => {
  writeFileSync(join(folder.path, `${name}.ts`), content)
  writeFileSync(join(folder.path, `${name}.m3u8`), `#EXTM3U\n#EXTINF:2,\n${name}.ts\n`)
}

async function streamer(username: string) {
  const user = await app.user(username)
  const principal = { kind: 'user', userId: user.id, username, clientId: null, scopes: [] } as const
  const ctx = { ...context, principal }
  const { key } = await rollStreamKey(ctx)
  await publish(context, { key, connection: `of ${username}` })
  const live = async () => (await livestreamOf(context.db, user.id))[0]
  return { ...user, ctx, live }
}

describe('the picture of a live stream', () => {
  let ada: Awaited<ReturnType<typeof streamer>>
  beforeAll(async () => {
    ada = await streamer('ada')
  })
  const shown = async () => (await ada.live())?.thumbnail_url ?? ''

  test('is tried soon again while there is no segment yet', async () => {
    expect(await take()).toBe(true)
    expect(await take()).toBe(false)
    expect(await shown()).toBe('')
    await passes(2_000)
    write('ada', 'the first')
    expect(await take()).toBe(true)
    expect(await shown()).toMatch(/\/thumbnails\/thm_\w{26}\.jpg$/)
  })

  test('is served with a version of its own, to any page, and asked for once', async () => {
    const path = new URL(await shown()).pathname
    const { status, headers, text } = await app.request(`GET ${path}`)
    expect([status, headers.get('content-type'), text.slice(-13)]).toEqual([200, 'image/jpeg', ' of the first'])
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'public, max-age=600, immutable',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
    const again = await app.request(`GET ${path}`, {
      headers: { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=0' },
    })
    expect([again.status, again.text]).toEqual([304, ''])
    for (const other of [
      '/thumbnails',
      '/thumbnails/thm_x.jpg',
      `${path}x`,
      path.slice(0, -4),
      '/thumbnails/..%2fada.ts',
    ])
      expect((await app.request(`GET ${other}`)).status).toBe(404)
  })

  test('is another one after a minute, and the one before is removed a while later; the stream has not changed', async () => {
    const before = await ada.live()
    const events = await app.context.db.execute(`select count(*) from events`)
    expect(await take()).toBe(false)
    await passes(60_000)
    write('ada', 'the second')
    expect(await take()).toBe(true)
    const now = await ada.live()
    expect(now?.thumbnail_url).not.toBe(before?.thumbnail_url)
    expect(now?.updated_at).toBe(before?.updated_at)
    expect(await app.context.db.execute(`select count(*) from events`)).toEqual(events)
    await removeOldPictures(context, storage)
    expect(kept()).toHaveLength(2)
    await app.elapse(thumbnails, 'expiresAt', 120_000)
    await removeOldPictures(context, storage)
    expect(kept()).toEqual([new URL(await shown()).pathname.split('/').at(-1)])
  })

  test('tells the bitrate', async () => {
    const rows = await context.db.select().from(ingestConnections)
    expect(rows).toMatchObject([{ bitrateKbps: 0, measuredAt: expect.any(Date) }])
  })

  test('ends with the stream', async () => {
    await endLivestream(ada.ctx)
    const rows = await context.db.select().from(livestreams)
    expect(rows).toMatchObject([{ thumbnailUrl: null }])
    await removeOldPictures(context, storage)
    expect([kept(), await context.db.$count(thumbnails)]).toEqual([[], 0])
    await passes(60_000)
    expect(await take()).toBe(true) // the encoder was not heard of since, so nobody knows yet
    expect(await ada.live()).toBeUndefined()
    await app.elapse(thumbnails, 'expiresAt', 300_000)
    await removeOldPictures(context, storage)
    expect(kept()).toEqual([])
  })
})

describe('what goes wrong', () => {
  test('with one picture keeps nothing else from being taken', async () => {
    const [bell, curie] = [await streamer('bell'), await streamer('curie')]
    await passes(60_000)
    write('curie', 'curie')
    while (await take());
    expect((await bell.live())?.thumbnail_url).toBeNull()
    expect((await curie.live())?.thumbnail_url).not.toBeNull()
    await endLivestream(bell.ctx)
    await endLivestream(curie.ctx)
    await context.db.delete(ingestConnections)
  })

  test.each([
    ['says what is wrong', 'echo no >&2; exit 1'],
    ['makes something else', 'echo hello'],
    ['makes too much', `printf '\\377\\330'; cat /dev/zero`],
    ['reads nothing', `exec <&-; printf '\\377'; exit 3`],
  ])('an ffmpeg that %s shows no picture', async (what, script) => {
    const darwin = await streamer(`d_${what.replaceAll(' ', '_').slice(0, 20)}`)
    write(darwin.username, 'x'.repeat(500_000))
    await passes(60_000)
    while (await take({ ffmpeg: program(darwin.username, script) }));
    expect((await darwin.live())?.thumbnail_url).toBeNull()
    await context.db.delete(ingestConnections)
  })

  test('an ffmpeg that hangs is killed when the process stops, and the picture is another process’s', async () => {
    const euler = await streamer('euler')
    write('euler', 'euler')
    const stop = new AbortController()
    const taking = take({ ffmpeg: program('hangs', `touch ${folder.path}/begun; exec sleep 60`) }, stop.signal)
    while (!existsSync(`${folder.path}/begun`)) await new Promise((resolve) => setTimeout(resolve, 10))
    stop.abort()
    await taking
    expect((await euler.live())?.thumbnail_url).toBeNull()
    await passes(60_000)
    expect(await take()).toBe(true)
    expect((await euler.live())?.thumbnail_url).not.toBeNull()
    await context.db.delete(ingestConnections)
  })

  test('while a picture is stored leaves no more than is removed later', async () => {
    const fermi = await streamer('fermi')
    write('fermi', 'fermi')
    const away = { ...storage, put: () => Promise.reject(new Error('no room')) }
    await take({ storage: away })
    expect((await fermi.live())?.thumbnail_url).toBeNull()
    const unremovable = { ...storage, remove: () => Promise.reject(new Error('away')) }
    await app.elapse(thumbnails, 'expiresAt', 300_000)
    await expect(removeOldPictures(context, unremovable)).rejects.toThrow('away')
    const before = await context.db.$count(thumbnails)
    await app.elapse(thumbnails, 'expiresAt', 300_000)
    await removeOldPictures(context, storage)
    expect(await context.db.$count(thumbnails)).toBeLessThan(before)
  })
})

test('a store that cannot be reached is said once in the log, and is no database that is away', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const reading = vi.spyOn(storage, 'get').mockRejectedValue(refused)
  const ask = () => app.request(`GET /thumbnails/${newId('thumbnail', new Date())}.jpg`)
  const said = () => app.lines.filter((line) => line.includes('Pictures ')).map((line) => JSON.parse(line).msg)
  for (let n = 0; n < 3; n++) {
    const { status, body } = await ask()
    expect([status, body.error.message]).toEqual([503, 'Pictures cannot be read at the moment; try again.'])
  }
  expect(said()).toEqual(['Pictures cannot be read'])
  reading.mockRestore()
  expect((await ask()).status).toBe(404)
  expect(said()).toEqual(['Pictures cannot be read', 'Pictures can be read again'])
})
