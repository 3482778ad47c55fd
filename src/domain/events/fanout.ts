import { statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'
import { isHearing, subscriptionOf } from './consent.ts'
import { deliveryId } from './emit-sql.ts'
import { fileOf, ownerOf } from './receiver-pace.ts'

const CHUNK_ROWS = 1_000

/** SQL for the next of one of the two index ranges that hold the subscriptions to a type, in their order. */
const nextOf = (channel: string) => `(
    select types.subscription_id from marker cross join lateral (
      select t.subscription_id from webhook_subscription_types t
      where t.type = marker.type and t.channel_id = ${channel} and t.subscription_id > marker.after_id
      order by t.subscription_id limit $1::int) types)`

const expandOne = statement<[chunk: number, afterChannel: string], { channel_id: string }>(`
with marker as (
  -- two processes at once take different events
  select * from webhook_fanouts where channel_id > $2 order by channel_id, event_id limit 1 for update skip locked
), visited as materialized (
  select subscription_id from (${nextOf('marker.channel_id')} union ${nextOf(`'*'`)}) subscribed
  order by subscription_id limit $1::int
), chunk as materialized (
  -- each looked up by its key: as a join it could be planned, while there are few, as one of all that there are
  select s.* from marker, visited cross join lateral (
    select s.id as subscription_id, ${ownerOf('s')} as owner_id, ${fileOf('s')} as pace from ${subscriptionOf('visited.subscription_id')} s
    where s.created_at <= marker.occurred_at and ${isHearing('s')} limit 1) s
), written as (
  insert into webhook_deliveries (id, event_id, type, subscription_id, owner_id, pace, due_at, created_at)
  select ${deliveryId('marker.event_id', 'chunk.subscription_id')}, marker.event_id, marker.type, chunk.subscription_id, chunk.owner_id,
    chunk.pace, statement_timestamp(), marker.occurred_at
  from marker, chunk on conflict (id) do nothing returning id
),
-- rows and marker change in one statement, so a crash repeats nothing, not even a delivery that has left the queue
moved as (
  update webhook_fanouts f set after_id = (select max(subscription_id) from visited) from marker
  where f.event_id = marker.event_id and (select count(*) from visited) = $1::int
), ended as (
  delete from webhook_fanouts f using marker
  where f.event_id = marker.event_id and (select count(*) from visited) < $1::int
)
select channel_id from marker`)

/**
 * Writes the next deliveries of one event that has too many receivers for the statement that emits it: the oldest of the
 * next channel behind this one that has any. Returns that channel, so that channels take turns, whatever happens in one of
 * them; undefined when there is none behind. Subscriptions that were created after the event are left out.
 */
export async function expandFanout(
  { db }: Context,
  chunk = CHUNK_ROWS,
  afterChannel = '',
): Promise<string | undefined> {
  const [marker] = await expandOne(db, chunk, afterChannel)
  return marker?.channel_id
}
