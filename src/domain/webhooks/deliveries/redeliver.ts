import { statement } from '../../../db/statement.ts'
import type { ActorContext } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
import { transact } from '../../core/transaction.ts'
import { endRest } from '../queue/hasten.ts'
import { requireEnabled, requireOwnedSubscription } from '../subscriptions/ownership.ts'
import { requireDelivery } from './ledger.ts'

const moveBack = statement<[id: string], { id: string }>(`
with removed as (
  delete from webhook_deliveries_done where id = $1 returning id, event_id, type, subscription_id, created_at
), queued as (
  insert into webhook_deliveries (id, event_id, type, subscription_id, due_at, created_at)
  select id, event_id, type, subscription_id, statement_timestamp(), created_at from removed
  on conflict (id) do nothing returning id
),
-- one that waits for its next attempt only has to be due
hastened as (
  update webhook_deliveries set due_at = statement_timestamp(), lane = 0 where id = $1 and lease is null returning id
)
select id from queued union all select id from hastened`)

/** Before what else is due of its subscription: after a rest a single delivery is sent as a probe, and it is this one. */
const goFirst = statement<[id: string, subscriptionId: string], never>(`
update webhook_deliveries set due_at = least(due_at, (
  select min(first.due_at) - interval '1 ms' from webhook_deliveries first
  where first.lane = 0 and first.subscription_id = $2 and first.id <> $1))
where id = $1 and lease is null`)

/**
 * Sends one delivery again at once, even if it was delivered or its subscription rests: the same id and bytes, ten new
 * attempts. Throws `not_found`,
 * and `invalid_request` while the subscription is disabled and for a test.
 */
export async function redeliver(ctx: ActorContext, { id }: { id: string }): Promise<void> {
  const { subscription_id: subscription, reason } = await requireDelivery(ctx, id)
  requireEnabled(await requireOwnedSubscription(ctx, subscription))
  if (reason === 'test') throw new Problem('invalid_request', 'A test is sent once: send another one.')
  // deliveries before subscriptions: the order in which everybody locks
  await transact(ctx, async (tx) => {
    await moveBack(tx.db, id)
    await goFirst(tx.db, id, subscription)
    await endRest(tx.db, subscription)
    tx.afterCommit(ctx.wake)
  })
}
