import { Router } from 'express'
import type { Context } from '../../domain/core/context.ts'
import { isId } from '../../domain/core/ids.ts'
import { Problem } from '../../domain/core/problem.ts'
import { EdgeLogger } from '../../telemetry/edge-logger.ts'

/** The address of a picture is another one for each, so it may be kept; not for long, because a stream ends. */
const KEPT = 'public, max-age=600, immutable'

/** Pictures of live streams, by their identifiers, for any page to show. That they cannot be read is logged once. */
export function thumbnailPages({ thumbnails, log }: Context): Router {
  const edge = new EdgeLogger(log, { down: 'Pictures cannot be read', up: 'Pictures can be read again' })
  const read = async (id: string) => {
    try {
      const jpeg = await thumbnails?.get(id)
      edge.up()
      return jpeg
    } catch (error) {
      edge.down({ err: error })
      throw new Problem('unavailable', 'Pictures cannot be read at the moment; try again.', { retryAfterS: 5 })
    }
  }
  return Router().get('/:file', async (request, response) => {
    const id = request.params.file.replace(/\.jpg$/, '')
    const isNamed = request.params.file.endsWith('.jpg') && isId('thumbnail', id)
    const jpeg = isNamed ? await read(id) : undefined
    if (!jpeg) throw new Problem('not_found', 'There is no such picture, or it is shown no longer.')
    response.set({
      'Cache-Control': KEPT,
      'Cross-Origin-Resource-Policy': 'cross-origin',
      ETag: `"${id}"`,
    })
    response.type('jpg').send(jpeg)
  })
}
