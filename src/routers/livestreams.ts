import * as z from 'zod'
import { Livestream } from '../domain/core/resources.ts'
import { listLivestreams } from '../domain/livestream-list.ts'
import { endLivestream, getLivestream, startLivestream, updateLivestream } from '../domain/livestreams.ts'
import { examples } from '../shared/examples.ts'
import { STREAM_TITLE_LENGTH_MAX } from '../shared/limits.ts'
import { page, paging, pathParameter, shortText, text } from './fields.ts'
import { operation, procedure } from './operation.ts'
import { router } from './trpc.ts'

const fields = () => ({ title: shortText(STREAM_TITLE_LENGTH_MAX), category: shortText(100) })

export const livestreamsRouter = router({
  list: operation('GET /v1/livestreams/', {
    id: 'listLivestreams',
    tag: 'Livestreams',
    summary: 'List live streams',
    description: 'Who is live at this moment, the last changed one first.',
    access: 'livestream:read',
    envelope: 'page',
    problems: ['invalid_cursor'],
  })
    .input(
      z.object({
        broadcaster_user_id: text()
          .meta({
            description: 'Only the live stream of this channel, by the identifier of its user.',
            example: examples.userId,
          })
          .optional(),
        ...paging(),
      }),
    )
    .output(page(Livestream))
    .query(({ ctx, input }) => listLivestreams(ctx, input)),

  get: operation('GET /v1/livestreams/{id}', {
    id: 'getLivestream',
    tag: 'Livestreams',
    summary: 'Get a live stream',
    description: 'While it is live: one that has ended is 404.',
    access: 'livestream:read',
    problems: ['livestream_not_found'],
  })
    .input(z.object({ id: pathParameter('The identifier of the live stream.', examples.livestreamId) }))
    .output(Livestream)
    .query(({ ctx, input }) => getLivestream(ctx, input.id)),

  start: procedure({ access: 'livestream:write', by: 'user' })
    .input(z.object(fields()))
    .output(Livestream)
    .mutation(({ ctx, input }) => startLivestream(ctx, input)),

  update: procedure({ access: 'livestream:write', by: 'user' })
    .input(z.object(fields()))
    .output(Livestream)
    .mutation(({ ctx, input }) => updateLivestream(ctx, input)),

  end: procedure({ access: 'livestream:write', by: 'user' })
    .input(z.object({}))
    .output(z.object({ ended: z.boolean() }))
    .mutation(({ ctx }) => endLivestream(ctx)),
})
