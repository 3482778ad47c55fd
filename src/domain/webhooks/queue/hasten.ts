import { statement } from '../../../db/statement.ts'

/** Makes due, in its lane, what waits for its next attempt. Skips what is locked: that is being claimed or settled. */
export const hastenWaiting = statement<[ids: string[]], { id: string }>(`
with waiting as (
  select id from webhook_deliveries where id = any($1::text[]) and lease is null and due_at > statement_timestamp()
  order by id for update skip locked
)
update webhook_deliveries d set due_at = statement_timestamp() from waiting where d.id = waiting.id returning d.id`)

/**
 * Ends the rest of a subscription, of its breaker or of a `Retry-After`: somebody who knows better says that the receiver is
 * well. Where failures had opened the breaker, one probe goes out; should it fail, the next rest is twice as long.
 */
export const endRest = statement<[subscriptionId: string], never>(
  'update webhook_subscriptions set open_until = null, rested_at = statement_timestamp() where id = $1 and open_until is not null',
)
