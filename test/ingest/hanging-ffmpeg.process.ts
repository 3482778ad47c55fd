import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ingestConnections } from '../../src/db/schema/index.ts'
import { folderStorage } from '../../src/domain/ingest/thumbnails/storage.ts'
import { takeDuePictures } from '../../src/domain/ingest/thumbnails/take.ts'
import { livestreamOf } from '../../src/domain/livestreams.ts'
import { temporaryFolder } from '../support/folder.ts'
import { collectGarbage } from '../support/garbage.ts'
import { createIngestStage } from './support/stage.ts'

test('an ffmpeg that hangs is killed after ten seconds, and the next channel has its picture', async () => {
  using folder = temporaryFolder()
  await using stage = await createIngestStage()
  const { context, nginx, streamer } = stage
  const at = (name: string) => join(folder.path, name)
  const [ada, bell] = [await streamer('ada'), await streamer('bell')]
  for (const { key, username } of [ada, bell]) {
    await nginx('publish', key, username)
    writeFileSync(at(`${username}.ts`), username)
    writeFileSync(at(`${username}.m3u8`), `#EXTM3U\n#EXTINF:2,\n${username}.ts\n`)
  }
  const ffmpeg = at('ffmpeg')
  writeFileSync(ffmpeg, `#!/bin/sh\nread name\n[ "$name" = ada ] && exec sleep 600\nprintf '\\377\\330'\n`)
  chmodSync(ffmpeg, 0o755)
  await stage.elapse(ingestConnections, 'frameDueAt', 60_000)

  using _ = collectGarbage()
  const settings = { source: at('{channel}.m3u8'), ffmpeg, storage: folderStorage(at('pictures')), publicUrl: '' }
  const begunMs = performance.now()
  expect(await takeDuePictures(context, settings, new AbortController().signal)).toBe(true)
  expect(performance.now() - begunMs).toBeGreaterThan(9_900)
  const pictures = [ada, bell].map(async ({ id }) => (await livestreamOf(context.db, id))[0]?.thumbnail_url)
  expect(await Promise.all(pictures)).toEqual([null, expect.stringMatching(/^\/thumbnails\/thm_/)])
}, 60_000)
