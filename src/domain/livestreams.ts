import { and, eq, isNull } from 'drizzle-orm'
import { violatedConstraint } from '../db/db-error.ts'
import { differsFrom } from '../db/differs-from.ts'
import { livestreams, thumbnails, users } from '../db/schema/index.ts'
import { instantText, statement } from '../db/statement.ts'
import type { Context, UserContext } from './core/context.ts'
import { dbNow } from './core/db-now.ts'
import { isId, newId } from './core/ids.ts'
import { Problem } from './core/problem.ts'
import type { Livestream } from './core/resources.ts'
import type { InTransaction } from './core/transaction.ts'
import { transactInTurn } from './core/turns/transact-in-turn.ts'
import { emitEvent } from './events/emit.ts'

export type LivestreamFields = { title?: string | null | undefined; category?: string | null | undefined }

/** SQL that shows rows of live streams, `source`, as the API does; `more` are further columns. */
export const livestreamsIn = (source: string, more = '') => `
  select l.id, l.title, l.category_slug as category, l.thumbnail_url,
    case when u.id is not null then json_build_object('id', u.id, 'username', u.username) end as channel,
    ${instantText('l.updated_at')} as updated_at${more}
  from ${source} l left join users u on u.id = l.channel_id`

const livestreamById = statement<[id: string], Livestream>(
  `${livestreamsIn('livestreams')} where l.id = $1 and l.ended_at is null`,
)
/** The live stream of a channel, if it is live. */
export const livestreamOf = statement<[channelId: string], Livestream>(
  `${livestreamsIn('livestreams')} where l.channel_id = $1 and l.ended_at is null`,
)
/** Throws `livestream_not_found`, also for a stream that has ended. */
export async function getLivestream({ db }: Context, id: string): Promise<Livestream> {
  const [livestream] = isId('livestream', id) ? await livestreamById(db, id) : []
  if (!livestream) throw new Problem('livestream_not_found', 'There is no live stream with this identifier.')
  return livestream
}

/** Starts a live stream on the caller's channel. Throws `already_live`, `category_not_found`, `forbidden`. */
export async function startLivestream(
  ctx: UserContext,
  { title, category }: LivestreamFields,
  id = newId('livestream', ctx.now()),
): Promise<Livestream> {
  return changing(ctx, 'livestream.started', async (tx) => {
    await requireOpenAccount(tx)
    const at = tx.now()
    await tx.db.insert(livestreams).values({
      id,
      channelId: tx.principal.userId,
      title: title || null,
      categorySlug: category || null,
      startedAt: at,
      updatedAt: at,
    })
    return { livestream: await getLivestream(tx, id), isChanged: true }
  })
}

/** Locks the account until the commit, so that one that is being closed cannot start a stream meanwhile. */
async function requireOpenAccount({ db, principal }: InTransaction<UserContext>): Promise<void> {
  const isOpen = and(eq(users.id, principal.userId), isNull(users.disabledAt))
  const [open] = await db.select({ id: users.id }).from(users).where(isOpen).for('share')
  if (!open) throw new Problem('forbidden', 'The account has been closed.')
}

/**
 * Changes the running stream; what is left out stays as it is, and what is so already is no change: it is no event and moves
 * no time. Throws `livestream_not_found`, `category_not_found`.
 */
export async function updateLivestream(ctx: UserContext, { title, category }: LivestreamFields): Promise<Livestream> {
  const fields = {
    ...(title !== undefined && { title: title || null }),
    ...(category !== undefined && { categorySlug: category || null }),
  }
  return changing(ctx, 'livestream.updated', async (tx) => {
    const changed = await tx.db
      .update(livestreams)
      .set({ ...fields, updatedAt: tx.now() })
      .where(and(isRunning(tx), differsFrom(livestreams, fields)))
      .returning({ id: livestreams.id })
    const [livestream] = await livestreamOf(tx.db, tx.principal.userId)
    if (!livestream) throw new Problem('livestream_not_found', 'You are not live.')
    return { livestream, isChanged: changed.length > 0 }
  })
}

/** Ends the running stream, if there is one; `ended` tells whether there was. */
export async function endLivestream(ctx: UserContext): Promise<{ ended: boolean }> {
  return transactInTurn(ctx, async (tx) => {
    const [livestream] = await livestreamOf(tx.db, tx.principal.userId)
    const at = tx.now()
    const ended = await tx.db
      .update(livestreams)
      .set({ endedAt: at, updatedAt: at, thumbnailUrl: null })
      .where(isRunning(tx))
      .returning()
    if (!livestream || ended.length === 0) return { ended: false }
    if (livestream.thumbnail_url !== null) await expireThumbnails(tx, livestream.id)
    await emitEvent(tx, 'livestream.ended', {
      channel: channelOf(tx),
      data: { ...livestream, thumbnail_url: null, updated_at: at.toISOString() },
    })
    return { ended: true }
  })
}

/** Its pictures are removed from now on. */
async function expireThumbnails({ db }: InTransaction, livestreamId: string): Promise<void> {
  const isTheirs = and(eq(thumbnails.livestreamId, livestreamId), isNull(thumbnails.expiresAt))
  await db.update(thumbnails).set({ expiresAt: dbNow }).where(isTheirs)
}

async function changing(
  ctx: UserContext,
  type: 'livestream.started' | 'livestream.updated',
  change: (tx: InTransaction<UserContext>) => Promise<{ livestream: Livestream; isChanged: boolean }>,
): Promise<Livestream> {
  try {
    return await transactInTurn(ctx, async (tx) => {
      const { livestream, isChanged } = await change(tx)
      if (isChanged) await emitEvent(tx, type, { channel: channelOf(tx), data: livestream })
      return livestream
    })
  } catch (error) {
    throw refusals[violatedConstraint(error) ?? '']?.(error) ?? error
  }
}

/** Problems by the constraint that was violated: also those that lose a race are refused properly. */
const refusals: Record<string, ((cause: unknown) => Problem) | undefined> = {
  livestreams_one_live: (cause) =>
    new Problem('already_live', 'You are live already: end that stream first.', { cause }),
  livestreams_category_exists: (cause) =>
    new Problem('category_not_found', 'category: there is no category with this slug.', { cause }),
}

const isRunning = ({ principal }: UserContext) =>
  and(eq(livestreams.channelId, principal.userId), isNull(livestreams.endedAt))

const channelOf = ({ principal: { userId, username } }: UserContext) => ({ id: userId, username })
