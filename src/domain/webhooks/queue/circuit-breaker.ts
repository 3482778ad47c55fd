import { DISABLE_AFTER_DAYS, DISABLE_AFTER_FAILURES } from '../../../shared/delivery.ts'
import { changesPace, nextAttemptMs } from './attempt-average.ts'

/** Failures in a row after which the circuit breaker of a subscription opens; afterwards one probe at a time is sent. */
export const FAILURES_TO_OPEN = 5
export const WINDOW_MAX = 32
const OPEN_FIRST_S = 30
const OPEN_MAX_S = 15 * 60
/**
 * Within so long of the time before it is not noted again that a window was full: of many busy receivers every attempt would. What comes in
 * between may count as having waited for us, for as long at most.
 */
const FULL_NOTED_WITHIN = `interval '500 milliseconds'`

/**
 * The common table expressions that write what attempts said about their receivers to the subscriptions. They read `mine`,
 * the settled rows in their order `o`; `health` returns the subscriptions that were written, with `disable_for`. All paths
 * that settle use them, so none can forget the rule of five days.
 */
export const circuitBreakerExpressions = `
-- the last success of each subscription in this batch: failures before it do not count
marked as (
  select mine.*, max(o) filter (where is_success) over (partition by subscription_id) as success_o
  from mine where is_success is not null
),
-- one row per subscription, however many of its attempts are in the batch
summed as materialized (
  select subscription_id, bool_or(is_success) as has_success, array_agg(gone_url) as gone_urls, bool_or(halves) as halves,
    bool_or(fills or halves) as was_full,
    count(*) filter (where grows)::int as growth,
    count(*) filter (where not is_success and o > coalesce(success_o, -1))::int as failures,
    coalesce(bool_or(is_probe) filter (where not is_success and o > coalesce(success_o, -1)), false) as probe_failed,
    max(retry_after_s) filter (where o > coalesce(success_o, -1)) as retry_after_s,
    max(duration_ms) as latest_ms
  from marked group by subscription_id
),
-- locked in the order of the identifiers, and only what changes: a healthy subscription is written once a minute
affected as materialized (
  select s.id, s.status, s.url, s.send_window, s.first_failure_at, s.open_until, summed.*,
    case when has_success then 0 else s.consecutive_failures end as failures_before,
    case when has_success then 0 else s.failed_attempts end as failed_before,
    case when has_success then 0 else s.open_for_s end as open_before_s
  from webhook_subscriptions s join summed on summed.subscription_id = s.id
  where failures > 0 or growth > 0 or halves or s.consecutive_failures > 0 or s.first_failure_at is not null
    or s.open_until is not null or s.last_success_at is null
    or s.last_success_at < statement_timestamp() - interval '1 minute'
    or was_full and coalesce(s.rested_at < statement_timestamp() - ${FULL_NOTED_WITHIN}, true)
    or ${changesPace('s.attempt_ms', 'latest_ms')}
  order by s.id for update of s
),
-- the breaker opens at the fifth failure in a row; each failed probe doubles how long it stays open
counted as (
  select *, case
      when failures_before < ${FAILURES_TO_OPEN} and failures_before + failures >= ${FAILURES_TO_OPEN} then ${OPEN_FIRST_S}
      when probe_failed then least(${OPEN_MAX_S}, greatest(${OPEN_FIRST_S}, 2 * open_before_s))
    end as opens_for_s,
    case when failures = 0 and has_success then null
      when failures = 0 then first_failure_at
      when has_success then statement_timestamp()
      else coalesce(first_failure_at, statement_timestamp()) end as failing_since
  from affected
),
-- disabled at once by 410, or by five days without a success and at least twenty failures
decided as (
  select *, case when status = 'disabled' then null
      when url = any (gone_urls) then 'gone'
      when failing_since <= statement_timestamp() - interval '${DISABLE_AFTER_DAYS} days'
        and failed_before + failures >= ${DISABLE_AFTER_FAILURES} then 'failing' end as disable_for
  from counted
), health as (
  update webhook_subscriptions s set
    consecutive_failures = failures_before + failures,
    failed_attempts = failed_before + failures,
    first_failure_at = failing_since,
    last_success_at = case when has_success then statement_timestamp() else s.last_success_at end,
    open_for_s = coalesce(opens_for_s, open_before_s),
    -- closed by a success, else the latest of: what it was, what the breaker says, what the receiver asked for
    open_until = greatest(case when has_success then null else decided.open_until end,
      statement_timestamp() + opens_for_s * interval '1 second',
      statement_timestamp() + retry_after_s * interval '1 second'),
    rested_at = case when was_full or has_success and decided.open_until is not null then statement_timestamp() else s.rested_at end,
    -- additive increase, multiplicative decrease
    send_window = greatest(1, least(${WINDOW_MAX}, case when halves then decided.send_window / 2 else decided.send_window + growth end)),
    attempt_ms = coalesce(${nextAttemptMs('s.attempt_ms', 'latest_ms')}, s.attempt_ms),
    status = case when disable_for is null then s.status else 'disabled' end,
    disabled_reason = coalesce(disable_for, s.disabled_reason),
    disabled_at = case when disable_for is null then s.disabled_at else statement_timestamp() end,
    updated_at = case when disable_for is null then s.updated_at else statement_timestamp() end
  from decided where s.id = decided.id
  returning s.id, disable_for
)`
