/**
 * The common table expression `scan (lane, id)`: each subscription with pending rows once per lane, however many rows it
 * has (a loose index scan: one probe per subscription). For a statement that begins with `with recursive`.
 */
export const pendingScan = `scan (lane, id) as (
  (select lane, subscription_id from webhook_deliveries order by lane, subscription_id limit 1)
  union all
  select later.lane, later.subscription_id from scan cross join lateral (
    select d.lane, d.subscription_id from webhook_deliveries d
    where (d.lane, d.subscription_id) > (scan.lane, scan.id) order by d.lane, d.subscription_id limit 1) later
)`
