import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readNewestSegment } from '../../src/domain/ingest/thumbnails/hls.ts'
import { temporaryFolder } from '../support/folder.ts'

const MEDIA =
  '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2.000,\nada-0.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:1.600,live\nada-1.ts\n'
const files: Record<string, string | Buffer> = {
  'ada.m3u8': MEDIA,
  'ada-0.ts': 'old',
  'ada-1.ts': Buffer.alloc(200_000, 'x'),
  'bell.m3u8':
    '#EXTM3U\r\n#EXT-X-STREAM-INF:BANDWIDTH=1000\r\nlow/index.m3u8?x=1\r\n#EXT-X-STREAM-INF:BANDWIDTH=9000\r\nhigh.m3u8\r\n',
  'low/index.m3u8': '#EXTM3U\n#EXT-X-MAP:URI="init.mp4"\n#EXTINF:4,\nsegment.m4s\n',
  'low/init.mp4': 'head ',
  'low/segment.m4s': 'body',
  'empty.m3u8': '#EXTM3U\n',
  'endless.m3u8': '#EXTM3U\n#EXTINF:0,\nada-0.ts\n',
  'secret.m3u8': '#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="key"\n#EXTINF:2,\nada-0.ts\n',
  'large.m3u8': `#EXTM3U\n${'#'.repeat(300_000)}\n`,
  'huge.m3u8': '#EXTM3U\n#EXTINF:2,\nhuge.ts\n',
  'huge.ts': Buffer.alloc(16 * 1024 * 1024),
  'away.m3u8': '#EXTM3U\n#EXTINF:2,\nhttp://127.0.0.1:1/ada-0.ts\n',
  'up.m3u8': '#EXTM3U\n#EXTINF:2,\n../outside.ts\n',
  'root.m3u8': '#EXTM3U\n#EXTINF:2,\n/etc/hostname\n',
}
const folder = temporaryFolder()
mkdirSync(join(folder.path, 'hls/low'), { recursive: true })
writeFileSync(join(folder.path, 'outside.ts'), 'outside')
for (const [name, content] of Object.entries(files)) writeFileSync(join(folder.path, 'hls', name), content)

const movedTo: Record<string, string> = {
  '/hls/session.m3u8': '/hls/low/index.m3u8?session=1',
  '/hls/round.m3u8': '/hls/round.m3u8',
  '/hls/moved.m3u8': 'http://127.0.0.1:1/hls/ada.m3u8',
}
const asked: string[] = []
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://here')
  asked.push(pathname)
  const moved = movedTo[pathname]
  if (moved !== undefined) return response.writeHead(302, { Location: moved }).end()
  const content = files[pathname.replace('/hls/', '')]
  return content === undefined ? response.writeHead(404).end() : response.end(content)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
afterAll(() => {
  server.closeAllConnections()
  server.close()
  folder[Symbol.dispose]()
})

const { signal } = new AbortController()
const sources = [
  ['an address', `${origin}/hls/{channel}.m3u8`],
  ['a file', `${folder.path}/hls/{channel}.m3u8`],
] as const

describe.each(sources)('the HLS of a channel, as %s', (_, source) => {
  const read = (channel: string) => readNewestSegment(source, channel, signal)

  test('is read for its newest segment, which tells the bitrate', async () => {
    const { bytes, ...facts } = await read('ada')
    expect([facts, bytes.length]).toEqual([{ seconds: 1.6, bitrateKbps: 1_000, format: 'mpegts' }, 200_000])
  })

  test('may be a choice of streams, and have its head apart', async () => {
    const { bytes, seconds, format } = await read('bell')
    expect([String(bytes), seconds, format]).toEqual(['head body', 4, 'mov'])
  })

  test.each(['empty', 'endless', 'secret', 'large', 'huge', 'nobody', 'moved', 'round'])(
    'is refused: %s',
    async (channel) => {
      await expect(read(channel)).rejects.toThrow()
    },
  )

  test.each(['away', 'up', 'root'])('leads nowhere else: %s', async (channel) => {
    asked.length = 0
    const refused = await read(channel).catch(String)
    expect(refused).toMatch(/leads|answered 404|ENOENT/)
    expect(refused).not.toContain('outside')
    expect(asked).not.toContain('/hls/ada-0.ts')
  })
})

test('may be somewhere else at its origin', async () => {
  expect(String((await readNewestSegment(sources[0][1], 'session', signal)).bytes)).toBe('head body')
})

test('is not read any more once the process stops', async () => {
  const stop = new AbortController()
  stop.abort()
  await expect(readNewestSegment(sources[0][1], 'ada', stop.signal)).rejects.toThrow()
})
