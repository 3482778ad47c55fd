import { statement } from '../../db/statement.ts'
import type { Context } from '../core/context.ts'
import { deliveryId } from './emit-sql.ts'

const CHUNK_ROWS = 1_000

/** SQL for one of the two index ranges that hold the subscriptions of an event, ordered, behind the last one written. */
const receiversIn = (channel: string) => `(
    select types.subscription_id from marker
    join webhook_subscription_types types
      on types.type = marker.type and types.channel_id = ${channel} and types.subscription_id > marker.after_id
    join webhook_subscriptions s on s.id = types.subscription_id
      and s.status = 'enabled' and s.deleted_at is null and s.created_at <= marker.occurred_at
    order by types.subscription_id limit $1::int)`

const expandOne = statement<[chunk: number], { written: number }>(`
with marker as (
  -- two processes at once take different events
  select * from webhook_fanouts order by event_id limit 1 for update skip locked
), chunk as materialized (
  select subscription_id from (
    ${receiversIn('marker.channel_id')}
    union ${receiversIn(`'*'`)}
  ) receivers order by subscription_id limit $1::int
), written as (
  insert into webhook_deliveries (id, event_id, type, subscription_id, due_at, created_at)
  select ${deliveryId('marker.event_id', 'chunk.subscription_id')}, marker.event_id, marker.type, chunk.subscription_id,
    statement_timestamp(), marker.occurred_at
  from marker, chunk on conflict (id) do nothing returning id
),
-- rows and marker change in one statement, so a crash repeats nothing, not even a delivery that has left the queue
moved as (
  update webhook_fanouts f set after_id = (select max(subscription_id) from chunk) from marker
  where f.event_id = marker.event_id and (select count(*) from chunk) = $1::int
), ended as (
  delete from webhook_fanouts f using marker
  where f.event_id = marker.event_id and (select count(*) from chunk) < $1::int
)
select (select count(*) from written)::int as written from marker`)

/**
 * Writes the next deliveries of one event that has too many receivers for the statement that emits it. Returns whether
 * there was such an event. Subscriptions that were created after it are left out.
 */
export async function expandFanout({ db }: Context, chunk = CHUNK_ROWS): Promise<boolean> {
  const [marker] = await expandOne(db, chunk)
  return marker !== undefined
}
