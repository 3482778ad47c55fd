import { instantText, statement } from '../../../db/statement.ts'
import { SLOW_MS } from '../../../shared/delivery.ts'
import { DAY_MS, HOUR_MS } from '../../../time/durations.ts'
import { applicationsOf, membersWith, roleIn, roleWanted } from '../../access/ownership.ts'
import type { UserContext } from '../../core/context.ts'
import { createdAtOf, lowerBound } from '../../core/ids.ts'
import { readInTurn } from '../../core/turns/take-turn.ts'
import { disablesAt, nextAttemptAt, pendingOf, warningDays } from '../../webhooks/subscriptions/health.ts'
import { urlToRead } from '../../webhooks/subscriptions/shown-url.ts'
import type { Attention } from './resources.ts'

/** An account owns at most a hundred applications, and belongs to at most a hundred of others. */
const APPLICATIONS_MAX = 200
/** Of an account's subscriptions those count that had an answer last. */
const SUBSCRIPTIONS_MAX = 1_000
const COUNTED_MAX = 1_000
const SHOWN_MAX = 10
/** A delivery that uses up its attempts was queued up to four days before it is given up. */
const GIVEN_UP_AFTER_DAYS = 5

const own = `
own as materialized (
  select c.id, c.name, ${roleIn('$1')} <> 'viewer' as has_keys from clients c
   where c.id = any (${applicationsOf('$1', '$4')}) order by c.id limit ${APPLICATIONS_MAX}),
subscriptions as materialized (
  select s.*, own.name as application_name from own join webhook_subscriptions s on s.client_id = own.id
   where s.deleted_at is null
   order by greatest(s.last_success_at, s.first_failure_at, s.disabled_at) desc nulls last, s.id desc limit ${SUBSCRIPTIONS_MAX})`

/** Events are kept for 30 days: until then its owner may want to send what a subscription of theirs has missed. */
const troubled = `
troubled as (
  select s.*, count(*) over ()::int as total from subscriptions s
   where (s.status = 'disabled' and (s.disabled_reason <> 'owner' or s.disabled_at > statement_timestamp() - interval '30 days'))
      or (s.status = 'enabled' and (s.first_failure_at is not null or s.attempt_ms > ${SLOW_MS}))
   order by s.disabled_reason = 'owner' nulls first, s.first_failure_at nulls last, s.id limit ${SHOWN_MAX})`

const waitsLongest = { order: 'desc', limit: 5 } as const

/** What waits longest for its next attempt has been tried most; what is finished was tried last by its identifier. */
const lastAnswer = `
(select json_build_object('status', a.status, 'error_class', a.error_class,
          'detail', case when a.status between 300 and 399 then regexp_replace(a.detail, '[?]\\S*', '?…') else a.detail end,
          'at', ${instantText('a.started_at')}, 'delivery_id', a.delivery_id)
   from (${pendingOf('t', { lane: 0, ...waitsLongest })} union all ${pendingOf('t', { lane: 1, ...waitsLongest })} union all
         (select id, null from webhook_deliveries_done where subscription_id = t.id order by id desc limit 5)) as tried
   cross join lateral (
     select * from webhook_attempts where delivery_id = tried.id order by n desc limit 1) as a
  order by a.started_at desc limit 1)`

const subscriptionRows = `
select json_agg(json_build_object(
  'id', t.id, 'application_id', t.client_id, 'application_name', t.application_name, 'url', ${urlToRead('t.url')},
  'description', t.description, 'status', t.status, 'disabled_reason', t.disabled_reason,
  'disabled_at', ${instantText('t.disabled_at')}, 'failing_since', ${instantText('t.first_failure_at')},
  'failed_attempts', t.failed_attempts,
  'warning_days', ${warningDays('t')}, 'disables_at', ${instantText(`(${disablesAt('t')})`)},
  'attempt_ms', t.attempt_ms, 'last_answer', ${lastAnswer},
  'next_attempt_at', ${instantText(nextAttemptAt('t'))})) from troubled t`

const givenUp = `
given_up as (
  select s.id as subscription_id, s.client_id as application_id, s.application_name, ${urlToRead('s.url')} as url, failed.count, failed.last_at,
         count(*) over ()::int as total
    from subscriptions s
   cross join lateral (
     select count(*)::int as count, ${instantText('max(finished_at)')} as last_at from (
       select finished_at from webhook_deliveries_done
        where subscription_id = s.id and outcome = 'failed' and id >= $2
        order by id desc limit ${COUNTED_MAX}) as newest
      where finished_at > statement_timestamp() - interval '1 day') as failed
   where failed.count > 0 order by failed.last_at desc limit ${SHOWN_MAX})`

const endingKeys = `
ending as (
  select key.id, own.id as application_id, own.name as application_name, key.name, key.last4,
         ${instantText('key.expires_at')} as expires_at, count(*) over ()::int as total
    from own join api_keys key on key.client_id = own.id and own.has_keys
   where key.revoked_at is null and key.replaced_by is null
     and key.expires_at between statement_timestamp() - interval '7 days' and statement_timestamp() + interval '14 days'
   order by key.expires_at limit ${SHOWN_MAX})`

const refused = `
refused as (
  select own.id as application_id, own.name as application_name, failed.*, count(*) over ()::int as total
    from own cross join lateral (
      select count(*)::int as count, (array_agg(status))[1] as status, (array_agg(code))[1] as code,
             (array_agg(operation))[1] as operation, (array_agg(message))[1] as message, max(id) as last_id
        from (select id, status, code, operation, message from request_log
               where client_id = own.id and id >= $3 and status >= 400 and status <> 499
               order by id desc limit ${COUNTED_MAX}) as newest) as failed
   where failed.count > 0 order by failed.last_id desc limit ${SHOWN_MAX})`

const listOf = (table: string) => `(select coalesce(json_agg(to_jsonb(${table}) - 'total'), '[]') from ${table})`
const totalOf = (table: string) => `coalesce((select max(total) from ${table}), 0)`

type Found = Omit<Attention, 'failures'> & {
  failures: (Omit<Attention['failures'][number], 'last_at'> & { last_id: string })[]
}
type Values = [userId: string, deliveriesFrom: string, requestsFrom: string, members: string[]]

const selectAttention = statement<Values, { found: Found }>(`
select found from (
with ${own}, ${troubled}, ${givenUp}, ${endingKeys}, ${refused}
select json_build_object(
  'subscriptions', coalesce((${subscriptionRows}), '[]'), 'subscriptions_total', ${totalOf('troubled')},
  'failed_deliveries', ${listOf('given_up')}, 'failed_deliveries_total', ${totalOf('given_up')},
  'keys', ${listOf('ending')}, 'keys_total', ${totalOf('ending')},
  'failures', ${listOf('refused')}, 'failures_total', ${totalOf('refused')}) as found) as one`)

/** What the caller has to look at, over all applications that they belong to, and of the keys those that they may renew; everything empty when all is well. */
export async function findAttention(ctx: UserContext): Promise<Attention> {
  const nowMs = ctx.now().getTime()
  const deliveriesFrom = lowerBound('delivery', new Date(nowMs - GIVEN_UP_AFTER_DAYS * DAY_MS))
  const requestsFrom = lowerBound('request', new Date(nowMs - HOUR_MS))
  const { userId } = ctx.principal
  const members = membersWith(roleWanted(ctx))
  const [row] = await readInTurn(ctx, (db) => selectAttention(db, userId, deliveriesFrom, requestsFrom, members))
  if (!row) throw new Error('A statement without a condition found nothing')
  const { failures, ...found } = row.found
  return {
    ...found,
    failures: failures.map(({ last_id, ...one }) => ({ ...one, last_at: createdAtOf(last_id).toISOString() })),
  }
}
