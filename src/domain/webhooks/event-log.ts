import { statement } from '../../db/statement.ts'
import { isId, lowerBound } from '../ids.ts'
import { isModerationType } from './catalogue.ts'
import type { OwnerContext } from './owned.ts'

const READ_MAX = 100

type Row = { id: string; type: string; payload: string }

const selectAll = statement<[after: string, limit: number], Row>(`
select id, type, payload from events where id > $1 and sequence > 0 order by id limit $2::int`)

const selectOfChannel = statement<[after: string, limit: number, channelId: string], Row>(`
select id, type, payload from events where channel_id = $3 and id > $1 order by id limit $2::int`)

export type LoggedEvents = { events: Row[]; next: string }

/**
 * Events behind `after` (by default: from now on), oldest first, at most 100; ask again with `next`: of a user's channel for the
 * user; of every channel, without moderation, for an application. No subscription and no queue: what a command line
 * listens to.
 */
export async function readEvents(ctx: OwnerContext, { after }: { after?: string | undefined }): Promise<LoggedEvents> {
  const start = after !== undefined && (isId('event', after) || isBound(after)) ? after : lowerBound('event', ctx.now())
  const { slow, principal } = ctx
  const isOfUser = principal.kind === 'user'
  const rows = isOfUser
    ? await selectOfChannel(slow, start, READ_MAX, principal.userId)
    : await selectAll(slow, start, READ_MAX)
  return { events: rows.filter(({ type }) => isOfUser || !isModerationType(type)), next: rows.at(-1)?.id ?? start }
}

/** The beginning of an identifier, as the first answer without events gives it. */
const isBound = (text: string) => /^evt_[0-9a-z]{10}$/.test(text)
