import { and, eq, isNull } from 'drizzle-orm'
import { violatedConstraint } from '../db/db-error.ts'
import { livestreams, users } from '../db/schema/index.ts'
import { instantText, statement } from '../db/statement.ts'
import type { Context, UserContext } from './core/context.ts'
import { isId, newId } from './core/ids.ts'
import { decodeCursor, type Page, type PageRequest, toPage } from './core/paging.ts'
import { Problem } from './core/problem.ts'
import type { Livestream } from './core/resources.ts'
import { type InTransaction, transact } from './core/transaction.ts'
import { emitEvent } from './events/emit.ts'

export type LivestreamFields = { title?: string | null | undefined; category?: string | null | undefined }
type LivestreamRequest = PageRequest & { broadcaster_user_id?: string | undefined }

const withChannel = (source: string) => `
  select l.id, l.title, l.category_slug as category, l.thumbnail_url,
    case when u.id is not null then json_build_object('id', u.id, 'username', u.username) end as channel,
    ${instantText('l.updated_at')} as updated_at
  from ${source} l left join users u on u.id = l.channel_id`

const livestreamById = statement<[id: string], Livestream>(
  `${withChannel('livestreams')} where l.id = $1 and l.ended_at is null`,
)
const livestreamOf = statement<[channelId: string], Livestream>(
  `${withChannel('livestreams')} where l.channel_id = $1 and l.ended_at is null`,
)
const livestreamsBefore = statement<[updatedAt: string, id: string, count: number], Livestream>(`
  ${withChannel(`(select * from livestreams
    where ended_at is null and (updated_at, id) < ($1::timestamptz, $2) order by updated_at desc, id desc limit 101)`)}
  order by l.updated_at desc, l.id desc limit $3`)

/** Live streams, the last changed one first; with `broadcaster_user_id` only that channel's, if it is live. */
export async function listLivestreams(ctx: Context, request: LivestreamRequest): Promise<Page<Livestream>> {
  const { limit, cursor, broadcaster_user_id: channelId } = request
  const [updatedAt = 'infinity', id = ''] = decodeCursor(ctx, 'livestreams', cursor) ?? []
  if (channelId !== undefined) return { items: await listOf(ctx, channelId), next: null }
  const found = await livestreamsBefore(ctx.db, updatedAt, id, limit + 1)
  return toPage(ctx, 'livestreams', found, limit, (last) => [last.updated_at, last.id])
}

/** Throws `livestream_not_found`, also for a stream that has ended. */
export async function getLivestream({ db }: Context, id: string): Promise<Livestream> {
  const [livestream] = isId('livestream', id) ? await livestreamById(db, id) : []
  if (!livestream) throw new Problem('livestream_not_found', 'There is no live stream with this identifier.')
  return livestream
}

/** Starts a live stream on the caller's channel. Throws `already_live`, `category_not_found`, `forbidden`. */
export async function startLivestream(ctx: UserContext, { title, category }: LivestreamFields): Promise<Livestream> {
  return changing(ctx, 'livestream.started', async (tx) => {
    await requireOpenAccount(tx)
    const at = tx.now()
    const id = newId('livestream', at)
    await tx.db.insert(livestreams).values({
      id,
      channelId: tx.principal.userId,
      title: title || null,
      categorySlug: category || null,
      startedAt: at,
      updatedAt: at,
    })
    return getLivestream(tx, id)
  })
}

/** Locks the account until the commit, so that one that is being closed cannot start a stream meanwhile. */
async function requireOpenAccount({ db, principal }: InTransaction<UserContext>): Promise<void> {
  const isOpen = and(eq(users.id, principal.userId), isNull(users.disabledAt))
  const [open] = await db.select({ id: users.id }).from(users).where(isOpen).for('share')
  if (!open) throw new Problem('forbidden', 'The account has been closed.')
}

/** Changes the running stream; what is left out stays as it is. Throws `livestream_not_found`, `category_not_found`. */
export async function updateLivestream(ctx: UserContext, { title, category }: LivestreamFields): Promise<Livestream> {
  return changing(ctx, 'livestream.updated', async (tx) => {
    const [changed] = await tx.db
      .update(livestreams)
      .set({
        ...(title !== undefined && { title: title || null }),
        ...(category !== undefined && { categorySlug: category || null }),
        updatedAt: tx.now(),
      })
      .where(isRunning(tx))
      .returning({ id: livestreams.id })
    if (!changed) throw new Problem('livestream_not_found', 'You are not live.')
    return getLivestream(tx, changed.id)
  })
}

/** Ends the running stream, if there is one; `ended` tells whether there was. */
export async function endLivestream(ctx: UserContext): Promise<{ ended: boolean }> {
  return transact(ctx, async (tx) => {
    const [livestream] = await livestreamOf(tx.db, tx.principal.userId)
    const at = tx.now()
    const ended = await tx.db.update(livestreams).set({ endedAt: at, updatedAt: at }).where(isRunning(tx)).returning()
    if (!livestream || ended.length === 0) return { ended: false }
    await emitEvent(tx, 'livestream.ended', {
      channel: channelOf(tx),
      data: { ...livestream, updated_at: at.toISOString() },
    })
    return { ended: true }
  })
}

async function changing(
  ctx: UserContext,
  type: 'livestream.started' | 'livestream.updated',
  change: (tx: InTransaction<UserContext>) => Promise<Livestream>,
): Promise<Livestream> {
  try {
    return await transact(ctx, async (tx) => {
      const livestream = await change(tx)
      await emitEvent(tx, type, { channel: channelOf(tx), data: livestream })
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

const listOf = async ({ db }: Context, channelId: string) =>
  isId('user', channelId) ? livestreamOf(db, channelId) : []

const isRunning = ({ principal }: UserContext) =>
  and(eq(livestreams.channelId, principal.userId), isNull(livestreams.endedAt))

const channelOf = ({ principal: { userId, username } }: UserContext) => ({ id: userId, username })
