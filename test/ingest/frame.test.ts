import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { FFMPEG_ENVIRONMENT, frameOf } from '../../src/domain/ingest/thumbnails/frame.ts'
import { temporaryFolder } from '../support/folder.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const { signal } = new AbortController()

const SAID = { format: 'mpegts', seconds: 1, bitrateKbps: 1 } as const
const FFMPEG = 'ffmpeg'
const encoders = spawnSync(FFMPEG, ['-hide_banner', '-encoders'], {
  env: FFMPEG_ENVIRONMENT,
  encoding: 'utf8',
}).stdout
const missing = encoders?.includes('libx264') ? undefined : 'needs ffmpeg with libx264'

/** A second of one colour, of which no pixel costs anything to send. */
function segmentOf(size: string) {
  const file = join(folder.path, `${size}.ts`)
  const picture = ['-f', 'lavfi', '-i', `color=red:s=${size}:r=1`, '-frames:v', '1', '-pix_fmt', 'yuv420p']
  const coded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-threads', '1', '-f', 'mpegts', file]
  execFileSync(FFMPEG, ['-loglevel', 'error', ...picture, ...coded], { env: FFMPEG_ENVIRONMENT })
  return { ...SAID, bytes: readFileSync(file) }
}

test.skipIf(missing)(
  `a segment whose picture has more pixels than 5K is refused before it is decoded${missing ? ` (${missing})` : ''}`,
  async () => {
    const large = segmentOf('4112x4096')
    expect(large.bytes.length).toBeLessThan(1024 * 1024)
    await expect(frameOf(large, FFMPEG, signal)).rejects.toThrow('ffmpeg made no picture')
    expect((await frameOf(segmentOf('3840x2160'), FFMPEG, signal)).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]))
  },
  300_000, // ffmpeg is nice to whatever else computes
)

test.runIf(process.platform === 'linux')('what decodes has a gigabyte and ten seconds of a core', async () => {
  const path = join(folder.path, 'telling')
  writeFileSync(path, '#!/bin/sh\n{ ulimit -v; ulimit -t; } >&2\nexit 1\n')
  chmodSync(path, 0o755)
  const framing = frameOf({ ...SAID, bytes: Buffer.from('x') }, path, signal)
  await expect(framing).rejects.toThrow(/1048576\n10$/)
})
