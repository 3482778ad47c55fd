import * as z from 'zod'
import { Ban } from '../domain/core/resources.ts'
import { createBan, listBans, removeBan } from '../domain/moderation.ts'
import { examples } from '../shared/examples.ts'
import { page, paging, text } from './fields.ts'
import { operation, procedure } from './operation.ts'
import { router } from './trpc.ts'

export const moderationRouter = router({
  list: operation('GET /v1/moderation/bans', {
    id: 'listBans',
    tag: 'Moderation',
    summary: 'List the bans of your channel',
    description: 'The newest first.',
    access: ['moderation:read', 'moderation:write'],
    by: 'user',
    envelope: 'page',
    problems: ['invalid_cursor'],
  })
    .input(z.object(paging()))
    .output(page(Ban))
    .query(({ ctx, input }) => listBans(ctx, input)),

  ban: operation('POST /v1/moderation/bans', {
    id: 'createBan',
    tag: 'Moderation',
    summary: 'Ban a user from your channel',
    description: 'From then on the user cannot write in your room.',
    destroys:
      'The user is shut out of the chat of this channel until its owner lifts the ban, which cannot be done by this operation.',
    access: 'moderation:write',
    by: 'user',
    status: 201,
    problems: ['cannot_ban_self', 'user_not_found', 'already_banned'],
  })
    .input(z.object({ user_id: text().meta({ description: 'Who is to be banned.', example: examples.outsiderId }) }))
    .output(Ban)
    .mutation(({ ctx, input }) => createBan(ctx, input)),

  unban: procedure({ access: 'moderation:write', by: 'user' })
    .input(z.object({ user_id: text() }))
    .output(z.object({ removed: z.boolean() }))
    .mutation(({ ctx, input }) => removeBan(ctx, input)),
})
