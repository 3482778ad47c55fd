import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { circuitBreakerExpressions } from './circuit-breaker.ts'
import { LEASE_S } from './claim-rows.ts'
import { lastLoggedAttempts } from './last-attempt.ts'
import type { Settlement } from './settlement.ts'

type Row = { key: string; disabled_for: 'gone' | 'failing' | null }

const settleRows = statement<[settlements: string], Row>(`
with input as (
  select * from json_to_recordset($1::text::json) as t (
    o int, n int, id text, lease uuid, kind text, result text, reason text, delay_s float8, started_ms float8,
    duration_ms int, status smallint, error_class text, detail text, request text, response_headers text,
    response text, is_success boolean, is_probe boolean,
    fills boolean, grows boolean, halves boolean, gone_url text, retry_after_s float8)
),
-- fenced by the lease: a worker that has lost it changes nothing; locked in the order of the identifiers, each looked up by
-- its key, for the reason that claim-rows.ts gives
mine as materialized (
  select input.*, d.event_id, d.type, d.subscription_id, d.created_at
  from (select * from input order by id collate "C") input cross join lateral (
    select * from webhook_deliveries d where d.id = input.id and d.lease is not distinct from input.lease for update) d
),
-- what was given back unsent has no attempt
logged as (
  insert into webhook_attempts (
    delivery_id, n, started_at, duration_ms, status, error_class, detail, request, response_headers, response)
  select id, n, to_timestamp(started_ms / 1000), duration_ms, status, error_class, detail, request, response_headers, response
  from mine where started_ms is not null
),
-- finish: out of the queue, into the finished ones, where an earlier run may have left a row of the same delivery
removed as (
  delete from webhook_deliveries where id = any (array(select id from mine where kind = 'finish'))
), done as (
  insert into webhook_deliveries_done (id, event_id, type, subscription_id, outcome, reason, attempts, created_at, finished_at)
  select id, event_id, type, subscription_id, result, reason, n, created_at, statement_timestamp()
  from mine where kind = 'finish'
  on conflict (id) do update set outcome = excluded.outcome, reason = excluded.reason, attempts = excluded.attempts,
    finished_at = excluded.finished_at
),
-- retry: one attempt more, and from now on behind first attempts; release: as if it had not been claimed
requeued as (
  update webhook_deliveries d set lease = null, (attempts, claims, lane, due_at) = (
    select d.attempts + (kind = 'retry')::int, d.claims - (kind = 'release')::int, case kind when 'retry' then 1 else d.lane end,
      statement_timestamp() + delay_s * interval '1 second'
    from mine where mine.id = d.id)
  where d.id = any (array(select id from mine where kind <> 'finish'))
), ${circuitBreakerExpressions}
select lease::text as key, null as disabled_for from mine
union all select id, disable_for from health where disable_for is not null`)

/**
 * The leases of those of a batch that were still this worker's to settle, and the subscriptions that the batch disabled.
 * By lease and not by identifier, because a batch may hold a lost and a living lease of one delivery.
 */
export type Settled = {
  leases: Set<string>
  disabled: { id: string; reason: 'gone' | 'failing' }[]
  /** The leases of those that had no attempt before this one. */
  first: Set<string>
}

/** Writes the results of attempts to deliveries, attempt log and subscriptions, in one statement: all or nothing. */
export async function settle({ db }: Context, batch: readonly Settlement[]): Promise<Settled> {
  const ids = batch.map(({ id }) => id)
  const logged = await lastLoggedAttempts(db, ids)
  const input = batch.map((settlement, o) => ({ o, ...inputOf(settlement, logged.get(settlement.id) ?? 0) }))
  const rows = await settleRows(db, JSON.stringify(input))
  const leases = new Set<string>()
  const disabled: Settled['disabled'] = []
  for (const { key, disabled_for: reason } of rows) {
    if (reason === null) leases.add(key)
    else disabled.push({ id: key, reason })
  }
  const first = new Set(batch.filter(({ id }) => !logged.get(id)).map(({ lease }) => lease))
  return { leases, disabled, first }
}

function inputOf({ id, lease, outcome, attempt, health }: Settlement, logged: number) {
  const { kind, result, reason, delayS } = { result: null, reason: null, delayS: null, ...outcome }
  return {
    ...{ n: logged + (attempt ? 1 : 0), id, lease, kind, result, reason, delay_s: delayS },
    ...(attempt && {
      started_ms: attempt.startedMs,
      duration_ms: attempt.durationMs,
      status: attempt.status,
      error_class: attempt.errorClass,
      detail: attempt.detail,
      request: attempt.request,
      response_headers: attempt.responseHeaders,
      response: attempt.response,
    }),
    ...(health && {
      is_success: health.isSuccess,
      is_probe: health.isProbe,
      fills: health.fillsWindow,
      grows: health.grows,
      halves: health.halves,
      gone_url: health.goneUrl,
      retry_after_s: health.retryAfterS,
    }),
  }
}

const renewRows = statement<[ids: string[], leases: string[]], { id: string }>(`
with mine as materialized (
  select d.id from (select * from unnest($1::text[], $2::uuid[]) t (id, lease) order by id collate "C") held cross join lateral (
    select d.id from webhook_deliveries d where d.id = held.id and d.lease is not distinct from held.lease
    -- a row that is locked is being settled, and needs no renewal
    for update skip locked) d
)
update webhook_deliveries d set due_at = statement_timestamp() + interval '${LEASE_S} s'
where d.id = any (array(select id from mine)) returning d.id`)

/** Renews the leases of attempts that wait to be settled. Returns the identifiers that are still this worker's. */
export async function renewLeases({ db }: Context, held: readonly { id: string; lease: string }[]): Promise<string[]> {
  const ids = held.map(({ id }) => id)
  const leases = held.map(({ lease }) => lease)
  const renewed = await renewRows(db, ids, leases)
  return renewed.map(({ id }) => id)
}
