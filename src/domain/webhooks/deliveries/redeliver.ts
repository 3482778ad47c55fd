import { statement } from '../../../db/statement.ts'
import type { ActorContext } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import { transact } from '../../core/transaction.ts'
import { ownerOf, paceOf } from '../../events/receiver-pace.ts'
import { endRest } from '../queue/hasten.ts'
import { allowedSince } from '../subscriptions/grant-coverage.ts'
import { requireHearing, requireSubscription } from '../subscriptions/ownership.ts'
import { requireDelivery } from './ledger.ts'

const moveBack = statement<[id: string], { id: string }>(`
with removed as (
  delete from webhook_deliveries_done where id = $1 returning id, event_id, type, subscription_id, created_at
), queued as (
  insert into webhook_deliveries (id, event_id, type, subscription_id, owner_id, pace, due_at, created_at)
  select removed.id, event_id, type, s.id, ${ownerOf('s')}, ${paceOf('s.attempt_ms')}, statement_timestamp(), removed.created_at
  from removed join webhook_subscriptions s on s.id = removed.subscription_id
  on conflict (id) do nothing returning id
),
-- one that waits for its next attempt only has to be due
hastened as (
  update webhook_deliveries set due_at = statement_timestamp(), lane = 0 where id = $1 and lease is null returning id
)
select id from queued union all select id from hastened`)

/**
 * Before what else is due of its subscription: after a rest a single delivery is sent as a probe, and it is this one, which
 * is filed under the pace of its receiver, while the others may be filed as resting still.
 */
const goFirst = statement<[id: string, subscriptionId: string], never>(`
update webhook_deliveries set pace = (select ${paceOf('s.attempt_ms')} from webhook_subscriptions s where s.id = $2),
  due_at = least(due_at, (
    select first.due_at - interval '1 ms' from webhook_deliveries first
    where first.lane = 0 and first.subscription_id = $2 and first.id <> $1
    order by first.lane, first.subscription_id, first.due_at limit 1))
where id = $1 and lease is null`)

/**
 * Sends one delivery again at once, even if it was delivered or its subscription rests: the same id and bytes, ten new
 * attempts. Throws `not_found`, `invalid_request` while the subscription is disabled and for a test, and `forbidden` once the
 * user does not allow it any more, and for what happened before they allowed it again.
 */
export async function redeliver(ctx: ActorContext, { id }: { id: string }): Promise<void> {
  const { subscription_id: subscriptionId, reason, created_at: happenedAt } = await requireDelivery(ctx, id)
  const subscription = await requireSubscription(ctx, subscriptionId)
  requireHearing(subscription)
  if (Date.parse(happenedAt) < (await allowedSince(ctx, subscription)))
    throw new Problem('forbidden', 'It happened before the user allowed the application to hear of it.')
  if (reason === 'test') throw new Problem('invalid_request', 'A test is sent once: send another one.')
  // deliveries before subscriptions: the order in which everybody locks
  await transact(ctx, async (tx) => {
    await moveBack(tx.db, id)
    await goFirst(tx.db, id, subscriptionId)
    await endRest(tx.db, subscriptionId)
    tx.afterCommit(ctx.wake)
  })
}
