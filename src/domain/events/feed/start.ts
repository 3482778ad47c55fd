import { statement } from '../../../db/statement.ts'
import { DAY_MS } from '../../../time/durations.ts'
import type { Context } from '../../core/context.ts'
import { createdAtOf, lowerBound } from '../../core/ids.ts'
import { parseInstant } from '../../core/instant.ts'
import { EVERY_CHANNEL } from '../../core/live.ts'
import { Problem } from '../../core/problem.ts'
import { decodeFeedCursor, type FeedCursor } from './cursor.ts'

export type StartInput = { after?: string | undefined; since?: string | undefined }

/** Where somebody begins in a line. `notBefore` is a bound of identifiers for who asks by time. */
export type Start = FeedCursor & { notBefore?: string }

const KEPT_MS = 30 * DAY_MS

/**
 * Where a reader of a line begins that has come to the place `last`: behind a cursor, at a time, or now. Throws
 * `invalid_request`, `invalid_cursor`, and `cursor_expired` when events behind the cursor are not kept any more.
 */
export async function startFor(ctx: Context, key: string, last: number, input: StartInput): Promise<Start> {
  const { after, since } = input
  if (after !== undefined && since !== undefined) {
    throw new Problem('invalid_request', 'since: cannot be given together with after.')
  }
  if (after !== undefined) return startBehind(ctx, key, last, decodeFeedCursor(ctx, key, after))
  if (since !== undefined) return startAt(ctx, key, last, parseInstant('since', since))
  return { place: last, at: ctx.now() }
}

async function startBehind(ctx: Context, key: string, last: number, cursor: FeedCursor): Promise<Start> {
  const keptSince = new Date(ctx.now().getTime() - KEPT_MS)
  if (cursor.place >= last || cursor.at >= keptSince) return cursor
  const oldest = await oldestOf(ctx, key, lowerBound('event', keptSince))
  if (oldest?.place === cursor.place + 1) return cursor
  const at = oldest ? createdAtOf(oldest.id) : keptSince
  throw new Problem(
    'cursor_expired',
    `after: events behind this cursor are not kept any more. The oldest that can be had is of ${at.toISOString()}: ask with since.`,
  )
}

/** At a time; at the earliest where what is kept begins, at the latest now, as the next page does. Throws `cursor_expired` for a time from which not all can be had. */
export async function startAt(ctx: Context, key: string, last: number, since: Date): Promise<Start> {
  const nowMs = ctx.now().getTime()
  const kept = Math.min(Math.max(since.getTime(), nowMs - KEPT_MS), nowMs)
  const notBefore = lowerBound('event', new Date(kept))
  if (key === EVERY_CHANNEL) await requirePlaced(ctx, notBefore)
  const oldest = await oldestOf(ctx, key, notBefore)
  return { place: oldest ? oldest.place - 1 : last, at: new Date(kept), notBefore }
}

type Oldest = { id: string; place: number | null }

/**
 * The event with the lowest place among the first that were made from a time on. Numbers follow the commits, identifiers are
 * made before: so not the first of them, but one of the first.
 */
const oldestBy = (place: string, isOfLine: string) => `
select first.id, first.place::float8 as place from (
  select e.id, ${place} as place from events e where ${isOfLine} and e.id >= $1 order by e.id limit 1000
) first order by first.place limit 1`
const selectOldestOfChannel = statement<[from: string, channelId: string], Oldest>(
  oldestBy('e.sequence', 'e.channel_id = $2'),
)
const selectOldestOfAll = statement<[from: string], Oldest>(oldestBy('e.position', 'true'))
/** Events of earlier releases have no position. All others were written after them, and made little before that. */
const MADE_BEFORE_MS = 600_000
const selectLastUnplaced = statement<[from: string, to: string], { id: string }>(
  'select e.id from events e where e.position is null and e.id >= $1 and e.id < $2 order by e.id desc limit 1',
)

/** Throws `cursor_expired` when events of all channels from a time on are kept, but have no order among them. */
async function requirePlaced({ db, now }: Context, from: string): Promise<void> {
  const [first] = await selectFirstPosition(db)
  const firstAt = first ? createdAtOf(first.id) : now()
  const [unplaced] = await selectLastUnplaced(
    db,
    from,
    lowerBound('event', new Date(firstAt.getTime() + MADE_BEFORE_MS)),
  )
  if (!unplaced) return
  const at = new Date(createdAtOf(unplaced.id).getTime() + 1)
  throw new Problem(
    'cursor_expired',
    `since: of all channels together, the oldest that can be had is of ${at.toISOString()}: ask from then on, or for one channel.`,
  )
}

const selectFirstPosition = statement<[], Oldest>(
  'select e.id, e.position::float8 as place from events e where e.position is not null order by e.position limit 1',
)

async function oldestOf(
  { db }: Context,
  key: string,
  from: string,
): Promise<{ id: string; place: number } | undefined> {
  if (key !== EVERY_CHANNEL) return placed((await selectOldestOfChannel(db, from, key))[0])
  const [first] = await selectFirstPosition(db)
  if (!first || first.id >= from) return placed(first)
  return placed((await selectOldestOfAll(db, from))[0])
}

const placed = (found: Oldest | undefined) =>
  found && found.place !== null ? { id: found.id, place: found.place } : undefined
