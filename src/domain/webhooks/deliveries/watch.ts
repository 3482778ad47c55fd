import { statement } from '../../../db/statement.ts'
import { poll, type StreamContext } from '../../events/poll.ts'
import { requireOwnedSubscription } from '../subscriptions/ownership.ts'

/** A hash over the newest rows is enough: whatever a worker does moves a row to an end of one of these indexes. */
const selectState = statement<[id: string], { hash: string }>(`
select md5(concat(
  (select concat(status, consecutive_failures, last_success_at, open_until, updated_at) from webhook_subscriptions where id = $1),
  (select string_agg(concat(id, attempts, lease, due_at), ' ' order by id) from (values (0), (1)) lanes (lane)
    cross join lateral (select id, attempts, lease, due_at from webhook_deliveries d
      where d.lane = lanes.lane and subscription_id = $1 order by due_at desc limit 50) pending),
  (select string_agg(concat(id, outcome, attempts, finished_at), ' ' order by id) from (
    select id, outcome, attempts, finished_at from webhook_deliveries_done where subscription_id = $1 order by id desc limit 50) done)
)) as hash`)

/**
 * Yields at once, and again whenever one of the caller's subscriptions or its deliveries has changed, so that the lists
 * should be read again. Ends when the caller is gone. Throws `subscription_not_found`.
 */
export async function watchDeliveries(
  ctx: StreamContext,
  { subscription }: { subscription: string },
  signal: AbortSignal | undefined,
): Promise<AsyncGenerator<{ changed: true }>> {
  const { id } = await requireOwnedSubscription(ctx, subscription)
  return changesOf(ctx, id, signal)
}

async function* changesOf(ctx: StreamContext, id: string, signal: AbortSignal | undefined) {
  let seen: string | undefined
  for await (const _ of poll(ctx, signal)) {
    const [row] = await selectState(ctx.slow, id)
    if (row === undefined || row.hash === seen) continue
    seen = row.hash
    yield { changed: true as const }
  }
}
