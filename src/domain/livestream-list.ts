import { statement } from '../db/statement.ts'
import type { Context } from './core/context.ts'
import { isId } from './core/ids.ts'
import { decodeCursor, encodeCursor, type Page, type PageRequest } from './core/paging.ts'
import type { Livestream } from './core/resources.ts'
import { livestreamOf, livestreamsIn } from './livestreams.ts'

type LivestreamRequest = PageRequest & { broadcaster_user_id?: string | undefined }

/**
 * Live streams, the one that changed last first; with `broadcaster_user_id` only that channel's, if it is live. A stream that
 * changes moves to the front, behind the back of whoever walks from page to page. So what has changed since the first page comes
 * once more at the end of a walk: nothing that is live throughout is missed.
 */
export async function listLivestreams(ctx: Context, request: LivestreamRequest): Promise<Page<Livestream>> {
  const { limit, cursor, broadcaster_user_id: channelId } = request
  const place = decodeCursor(ctx, LIST, cursor)
  if (channelId !== undefined) return { items: await listOf(ctx, channelId), next: null }
  const [updatedAt = 'infinity', id = '', since = 'infinity', seen = '1:1:'] = place ?? []
  if (updatedAt === NOTHING_LEFT) return changedPage(ctx, { id, since, seen }, limit)

  const found = await livestreamsBefore(ctx.db, updatedAt, id, limit + 1)
  const [first] = found
  const walk = place || !first ? { since, seen } : { since: first.updated_at, seen: first.seen }
  const items = found.slice(0, limit)
  const last = items.at(-1)
  if (last && found.length > limit) return { items, next: cursorOf(ctx, last.updated_at, { id: last.id, ...walk }) }
  return place ? changedPage(ctx, { id: BEHIND_ALL, ...walk }, limit, items) : { items, next: null }
}

const LIST = 'livestreams'

/** What the first page of a walk saw: its last change, and the transactions whose changes it had in it, as a `pg_snapshot`. */
type Walk = { since: string; seen: string }

const livestreamsBefore = statement<[updatedAt: string, id: string, count: number], Livestream & Pick<Walk, 'seen'>>(
  `${livestreamsIn(
    `(select * from livestreams
    where ended_at is null and (updated_at, id) < ($1::timestamptz, $2) order by updated_at desc, id desc limit 101)`,
    ', (select pg_current_snapshot()::text) as seen',
  )} order by l.updated_at desc, l.id desc limit $3`,
)

/** The transaction that wrote a row, of whose number the row keeps half; that of the first page is near. */
const WRITER = `greatest(0, pg_snapshot_xmax($3::pg_snapshot)::text::bigint
  + age(pg_snapshot_xmax($3::pg_snapshot)::xid) - age(xmin))::text::xid8`

/**
 * By identifier, in which order nothing moves; what starts behind a walk is not waited for, so it ends. The transaction tells
 * what is new, because the clocks of processes differ; the time only spares looking at all the others, of which `offset 0` keeps
 * the planner.
 */
const changedSince = statement<[id: string, since: string, seen: string, count: number], Livestream>(`
  ${livestreamsIn(`(select * from (
    select * from livestreams
    where ended_at is null and updated_at > $2::timestamptz - interval '10 minutes' and id < $1
      and not pg_visible_in_snapshot(${WRITER}, $3::pg_snapshot)
    offset 0) changed order by id desc limit 101)`)}
  order by l.id desc limit $4`)

/** Where the last change stands in a cursor, when a walk has seen all but what has changed meanwhile. */
const NOTHING_LEFT = '-infinity'
/** Greater than every identifier. */
const BEHIND_ALL = '~'

/** The rest of a page that has `items` already. */
async function changedPage(
  ctx: Context,
  { id, ...walk }: Walk & { id: string },
  limit: number,
  items: Livestream[] = [],
): Promise<Page<Livestream>> {
  const room = limit - items.length
  const found = await changedSince(ctx.db, id, walk.since, walk.seen, room + 1)
  const changed = found.slice(0, room)
  const last = changed.at(-1)?.id ?? id
  const next = found.length > room ? cursorOf(ctx, NOTHING_LEFT, { id: last, ...walk }) : null
  return { items: [...items, ...changed], next }
}

const cursorOf = (ctx: Context, updatedAt: string, { id, since, seen }: Walk & { id: string }) =>
  encodeCursor(ctx, LIST, [updatedAt, id, since, seen])

const listOf = async ({ db }: Context, channelId: string) =>
  isId('user', channelId) ? livestreamOf(db, channelId) : []
