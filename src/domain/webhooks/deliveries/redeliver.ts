import { statement } from '../../../db/statement.ts'
import type { ActorContext } from '../../core/context.ts'
import { Problem } from '../../core/problem.ts'
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

/**
 * Sends one delivery again at once, even if it was delivered: the same id and bytes, ten new attempts. Throws `not_found`,
 * and `invalid_request` while the subscription is disabled and for a test.
 */
export async function redeliver(ctx: ActorContext, { id }: { id: string }): Promise<void> {
  const { subscription_id: subscription, reason } = await requireDelivery(ctx, id)
  requireEnabled(await requireOwnedSubscription(ctx, subscription))
  if (reason === 'test') throw new Problem('invalid_request', 'A test is sent once: send another one.')
  await moveBack(ctx.db, id)
  ctx.wake()
}
