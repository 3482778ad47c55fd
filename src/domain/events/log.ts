import { statement } from '../../db/statement.ts'
import type { ActorContext } from '../core/context.ts'
import { isModerationType } from './types.ts'

const READ_MAX = 100

/** `payload` is the body of a delivery, to the byte. */
export type LoggedEvent = { id: string; type: string; payload: string }

const selectAll = statement<[after: string, limit: number], LoggedEvent>(`
select id, type, payload from events where id > $1 and sequence > 0 order by id limit $2::int`)

const selectOfChannel = statement<[after: string, limit: number, channelId: string], LoggedEvent>(`
select id, type, payload from events where channel_id = $3 and id > $1 order by id limit $2::int`)

/**
 * Events whose identifier is greater than `after` (an identifier or the beginning of one), oldest first, at most 100. Call
 * it again with `next`. A user reads their own channel; an application and the operator every channel, without moderation.
 */
export async function readEvents(
  { slow, principal }: ActorContext,
  after: string,
): Promise<{ events: LoggedEvent[]; next: string }> {
  const isOfUser = principal.kind === 'user'
  const rows = isOfUser
    ? await selectOfChannel(slow, after, READ_MAX, principal.userId)
    : await selectAll(slow, after, READ_MAX)
  return { events: rows.filter(({ type }) => isOfUser || !isModerationType(type)), next: rows.at(-1)?.id ?? after }
}
