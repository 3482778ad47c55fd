import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { createdAtOf, lowerBound } from '../../core/ids.ts'

/** A message and its event are made in one transaction, which does not last longer. */
const SENT_WITHIN_MS = 5_000
/** So many later events of the channel are looked at for the deletion of the message. */
const LATER_MAX = 20_000

const selectEvents = statement<[after: string, before: string, id: string, later: number], { id: string }>(`
with sent as materialized (
  select id, channel_id from events
  where id >= $1 and id < $2 and type = 'chat.message.sent' and strpos(payload, '"id":"' || $3 || '"') > 0 limit 1
)
select id from sent
union all
select later.id from sent cross join lateral (
  select id, type, payload from events where channel_id = sent.channel_id and id > sent.id order by id limit $4::int
) later where later.type = 'chat.message.deleted' and strpos(later.payload, '"id":"' || $3 || '"') > 0`)

/** The events that tell of a message, whose identifier says when it was sent: that it was, and that it was deleted. */
export async function eventsOfMessage({ slow }: Pick<Context, 'slow'>, id: string): Promise<string[]> {
  const at = createdAtOf(id).getTime()
  const bound = (ms: number) => lowerBound('event', new Date(ms))
  const rows = await selectEvents(slow, bound(at - SENT_WITHIN_MS), bound(at + SENT_WITHIN_MS), id, LATER_MAX)
  return rows.map((row) => row.id)
}
