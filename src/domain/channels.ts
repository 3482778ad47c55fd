import { and, eq } from 'drizzle-orm'
import { differsFrom } from '../db/differs-from.ts'
import { USERNAME_PATTERN } from '../db/schema/columns.ts'
import { users } from '../db/schema/index.ts'
import { statement } from '../db/statement.ts'
import type { Context, UserContext } from './core/context.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from './core/paging.ts'
import { Problem } from './core/problem.ts'
import type { Channel } from './core/resources.ts'
import { transactInTurn } from './core/turns/transact-in-turn.ts'
import { emitEvent } from './events/emit.ts'

export type ChannelChanges = { bio?: string | null | undefined; image_url?: string | null | undefined }

const withLive = (source: string) => `
  select u.id, u.username, u.bio, u.image_url, live.id is not null as is_live
  from ${source} u
  left join lateral (select l.id from livestreams l where l.channel_id = u.id and l.ended_at is null limit 1) live on true`

const channelBySlug = statement<[slug: string], Channel>(
  `${withLive('users')} where u.username = $1 and u.disabled_at is null`,
)

/** Selects the page before it joins. The inner limit is a constant, or the planner would expect a tenth of the table. */
const channelsAfter = statement<[username: string, count: number], Channel>(`
  ${withLive(`(select id, username, bio, image_url from users
    where username > $1 and disabled_at is null order by username limit 101)`)}
  order by u.username limit $2`)

/** Channels by username. */
export async function listChannels(ctx: Context, { limit, cursor }: PageRequest): Promise<Page<Channel>> {
  const [after = ''] = decodeCursor(ctx, 'channels', cursor) ?? []
  const channels = await channelsAfter(ctx.db, after, limit + 1)
  return toPage(ctx, 'channels', channels, limit, ({ username }) => [username])
}

/** The channel of a username, in any case. Throws `channel_not_found`. */
export async function getChannel({ db }: Context, slug: string): Promise<Channel> {
  const username = slug.toLowerCase()
  const [channel] = isUsername(username) ? await channelBySlug(db, username) : []
  if (!channel) throw new Problem('channel_not_found', 'No channel has this slug.')
  return channel
}

/**
 * Changes the profile of the caller's channel. What is left out stays as it is; an empty text counts as null. What is so already
 * is no change: it is no event and moves no time.
 */
export async function updateChannel(ctx: UserContext, { bio, image_url }: ChannelChanges): Promise<Channel> {
  const fields = {
    ...(bio !== undefined && { bio: bio || null }),
    ...(image_url !== undefined && { imageUrl: image_url || null }),
  }
  return transactInTurn(ctx, async (tx) => {
    const { userId, username } = tx.principal
    const changed = await tx.db
      .update(users)
      .set({ ...fields, updatedAt: tx.now() })
      .where(and(eq(users.id, userId), differsFrom(users, fields)))
      .returning({ id: users.id })
    const channel = await getChannel(tx, username)
    if (changed.length > 0) {
      await emitEvent(tx, 'channel.updated', { channel: { id: userId, username }, data: channel })
    }
    return channel
  })
}

const USERNAME = new RegExp(USERNAME_PATTERN)

/**
 * Whether a text can be a username, and so the slug of a channel and the name of its room. What cannot is never looked
 * up: no NUL, no half-decoded path reaches the database.
 */
export const isUsername = (value: string) => USERNAME.test(value)
