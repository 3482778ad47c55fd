import { statement } from '../../../db/statement.ts'
import type { Actor, OverlayPrincipal } from '../../core/actor.ts'
import type { Context } from '../../core/context.ts'
import { EVERY_CHANNEL } from '../../core/live.ts'
import { Problem } from '../../core/problem.ts'
import { settledPosition } from '../tail/positions.ts'

/** A line and how to learn the place to which it has come. */
export type NamedLine = { key: string; last: () => Promise<number> }

type Found = { id: string; last: number }

const selectChannel = statement<[username: string, id: string], Found>(`
select u.id, coalesce(s.last, 0)::float8 as last from users u left join channel_sequences s on s.channel_id = u.id
where (u.username = $1 or u.id = $2) and u.disabled_at is null limit 1`)

const selectLast = statement<[channelId: string], { last: number }>(
  'select last::float8 as last from channel_sequences where channel_id = $1',
)

/**
 * The line that somebody reads. A user and an overlay read their own channel; an application and the operator the one that they
 * name, by its username or identifier, or all. Throws `forbidden`, `channel_not_found`.
 */
export async function lineFor(
  ctx: Context,
  actor: Actor | OverlayPrincipal,
  channel: string | undefined,
): Promise<NamedLine> {
  if (actor.kind === 'user' || actor.kind === 'overlay') {
    const { userId, username } = actor
    if (channel !== undefined && channel !== userId && channel.toLowerCase() !== username) {
      throw new Problem('forbidden', 'channel: with the credential of a user or an overlay it must be their own.')
    }
    return lineOfChannel(ctx, userId)
  }
  if (channel === undefined) return { key: EVERY_CHANNEL, last: () => settledPosition(ctx.db) }
  const [found] = await selectChannel(ctx.db, channel.toLowerCase(), channel)
  if (!found) throw new Problem('channel_not_found', 'channel: there is no channel of this name or identifier.')
  return { key: found.id, last: async () => found.last }
}

export const lineOfChannel = (ctx: Context, channelId: string): NamedLine => ({
  key: channelId,
  last: async () => (await selectLast(ctx.db, channelId))[0]?.last ?? 0,
})
