/**
 * The common table expression `scan (lane, pace, owner_id, id)`: each subscription with pending rows once per lane and under
 * what they are filed, however many rows it has (a loose index scan: one probe per subscription). For a statement that begins
 * with `with recursive`.
 */
export const pendingScan = `scan (lane, pace, owner_id, id) as (
  (select lane, pace, owner_id, subscription_id from webhook_deliveries order by lane, pace, owner_id, subscription_id limit 1)
  union all
  select later.* from scan cross join lateral (
    select d.lane, d.pace, d.owner_id, d.subscription_id from webhook_deliveries d
    where (d.lane, d.pace, d.owner_id, d.subscription_id) > (scan.lane, scan.pace, scan.owner_id, scan.id)
    order by d.lane, d.pace, d.owner_id, d.subscription_id limit 1) later
)`
