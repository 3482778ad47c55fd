import { spawnSync } from 'node:child_process'
import type { Config } from '../../config.ts'
import type { Context } from '../../domain/core/context.ts'
import { FFMPEG_ENVIRONMENT } from '../../domain/ingest/thumbnails/frame.ts'
import { removeOldPictures } from '../../domain/ingest/thumbnails/remove.ts'
import { type PictureSettings, takeDuePictures } from '../../domain/ingest/thumbnails/take.ts'
import { logger } from '../../telemetry/logger.ts'
import { repeat } from './repeat.ts'

/** How often it is looked for pictures to take, and for those to remove. */
const LOOK_MS = 1_000
const REMOVE_MS = 15_000

/**
 * Takes pictures of the live streams, and removes old ones, until it is disposed of; what is running then is killed. Without an
 * ffmpeg on this machine it says so, and takes none.
 */
export function startPictures(
  ctx: Context,
  { source, ffmpeg, atOnce }: NonNullable<Config['pictures']>,
): AsyncDisposable {
  const { thumbnails: storage, publicUrl } = ctx
  if (!storage) throw new Error('Pictures are taken where there is no place for them')
  const removing = { edge: edgeOf('removed'), pauseMs: REMOVE_MS }
  const work = [repeat(ctx, removing, () => removeOldPictures(ctx, storage))]
  if (isThere(ffmpeg)) {
    const settings = { source, ffmpeg, storage, publicUrl }
    const taking = { edge: edgeOf('taken'), pauseMs: LOOK_MS }
    for (let n = 0; n < atOnce; n++) work.push(repeat(ctx, taking, (signal) => takeAll(ctx, settings, signal)))
  } else logger.warn({ ffmpeg }, 'There is no ffmpeg: no pictures of live streams are taken; set FFMPEG_PATH')
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(work.map((one) => one[Symbol.asyncDispose]()))
    },
  }
}

const edgeOf = (what: string) => ({ down: `Pictures cannot be ${what}`, up: `Pictures are ${what} again` })

const isThere = (ffmpeg: string) =>
  spawnSync(ffmpeg, ['-version'], { stdio: 'ignore', timeout: 10_000, env: FFMPEG_ENVIRONMENT }).status === 0

async function takeAll(ctx: Context, settings: PictureSettings, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await takeDuePictures(ctx, settings, signal)));
}
