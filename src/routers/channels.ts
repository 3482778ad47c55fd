import * as z from 'zod'
import { getChannel, listChannels, updateChannel } from '../domain/channels.ts'
import { Channel } from '../domain/core/resources.ts'
import { examples } from '../shared/examples.ts'
import { BIO_LENGTH_MAX } from '../shared/limits.ts'
import { imageUrl, page, paging, pathParameter, shortText } from './fields.ts'
import { operation, procedure } from './operation.ts'
import { router } from './trpc.ts'

export const channelsRouter = router({
  list: operation('GET /v1/channels/', {
    id: 'listChannels',
    tag: 'Channels',
    summary: 'List channels',
    description: 'By username. A channel is the public face of a user, and has the same identifier.',
    access: 'channel:read',
    envelope: 'page',
    problems: ['invalid_cursor'],
  })
    .input(z.object(paging()))
    .output(page(Channel))
    .query(({ ctx, input }) => listChannels(ctx, input)),

  get: operation('GET /v1/channels/{slug}', {
    id: 'getChannel',
    tag: 'Channels',
    summary: 'Get a channel',
    description: '`is_live` is true exactly while the channel has a live stream.',
    access: 'channel:read',
    problems: ['channel_not_found'],
  })
    .input(z.object({ slug: pathParameter('The username of the channel, in any case.', examples.username) }))
    .output(Channel)
    .query(({ ctx, input }) => getChannel(ctx, input.slug)),

  update: procedure({ access: 'channel:write', by: 'user' })
    .input(z.object({ bio: shortText(BIO_LENGTH_MAX), image_url: imageUrl() }))
    .output(Channel)
    .mutation(({ ctx, input }) => updateChannel(ctx, input)),
})
