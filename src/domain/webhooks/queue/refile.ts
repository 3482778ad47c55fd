import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { fileOf, ownerOf } from '../../events/receiver-pace.ts'
import { pendingScan } from './pending-scan.ts'

const CHUNK_ROWS = 1_000

/** With a value, because a statement without any keeps the plan that was made for it when the queue was empty. */
const refileChunk = statement<[limit: number], object>(`
with recursive ${pendingScan}, receivers as materialized (
  select scan.*, ${fileOf('s')} as new_pace, ${ownerOf('s')} as new_owner_id from scan
  join webhook_subscriptions s on s.id = scan.id
    and (${fileOf('s')} <> scan.pace or ${ownerOf('s')} <> scan.owner_id)
  -- in no order, so that one with a million rows is not always the first
  order by random()
), misfiled as (
  select rows.id, r.new_pace, r.new_owner_id from receivers r cross join lateral (
    select d.id from webhook_deliveries d
    where d.lane = r.lane and d.pace = r.pace and d.owner_id = r.owner_id and d.subscription_id = r.id
      and (d.lease is null or d.due_at <= statement_timestamp()) limit $1::int) rows
  limit $1::int
), mine as materialized (
  select d.id, new_pace, new_owner_id from webhook_deliveries d join misfiled on misfiled.id = d.id
  order by d.id for update of d skip locked
)
update webhook_deliveries d set pace = new_pace, owner_id = new_owner_id from mine where d.id = mine.id returning 1`)

/**
 * Files what waits under the pace that its receiver has by now, as resting while it rests, and under its owner, whom what an
 * earlier release queued lacks. Until then it is found under the old pace, and claimed by the
 * new one; so it is late only while the old one has no places. Ends after `chunksMax` thousand: a receiver that is fast and
 * slow in turn has all that waits for it filed again each time.
 */
export async function refileWaiting({ slow }: Context, chunksMax = Number.POSITIVE_INFINITY): Promise<void> {
  for (let chunks = 0; chunks < chunksMax; chunks++)
    if ((await refileChunk(slow, CHUNK_ROWS)).length < CHUNK_ROWS) return
}
