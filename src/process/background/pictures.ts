import { spawnSync } from 'node:child_process'
import { setTimeout as after } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import type { Context } from '../../domain/core/context.ts'
import { FFMPEG_ENVIRONMENT } from '../../domain/ingest/thumbnails/frame.ts'
import { removeOldPictures } from '../../domain/ingest/thumbnails/remove.ts'
import { type PictureSettings, takeDuePicture } from '../../domain/ingest/thumbnails/take.ts'
import { EdgeLogger } from '../../telemetry/edge-logger.ts'
import { logger } from '../../telemetry/logger.ts'

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
  const stop = new AbortController()
  const { signal } = stop
  const { thumbnails: storage, publicUrl } = ctx
  if (!storage) throw new Error('Pictures are taken where there is no place for them')
  const work = [repeat(ctx, 'removed', REMOVE_MS, signal, () => removeOldPictures(ctx, storage))]
  if (isThere(ffmpeg)) {
    const settings = { source, ffmpeg, storage, publicUrl }
    for (let n = 0; n < atOnce; n++)
      work.push(repeat(ctx, 'taken', LOOK_MS, signal, () => takeAll(ctx, settings, signal)))
  } else logger.warn({ ffmpeg }, 'There is no ffmpeg: no pictures of live streams are taken; set FFMPEG_PATH')
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await Promise.all(work)
    },
  }
}

const isThere = (ffmpeg: string) =>
  spawnSync(ffmpeg, ['-version'], { stdio: 'ignore', timeout: 10_000, env: FFMPEG_ENVIRONMENT }).status === 0

async function takeAll(ctx: Context, settings: PictureSettings, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await takeDuePicture(ctx, settings, signal)));
}

async function repeat(
  { log }: Context,
  what: string,
  pauseMs: number,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  const edge = new EdgeLogger(log, { down: `Pictures cannot be ${what}`, up: `Pictures are ${what} again` })
  while (!signal.aborted) {
    try {
      await work()
      edge.up()
    } catch (error) {
      edge.down({ err: error })
    }
    await after(pauseMs, undefined, { signal }).catch(() => {})
  }
}
