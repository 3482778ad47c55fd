import { statement } from '../../../db/statement.ts'
import type { Context } from '../../core/context.ts'
import { circuitBreakerExpressions } from './circuit-breaker.ts'
import { LEASE_S } from './claim.ts'
import { lastLoggedAttempts } from './last-attempt.ts'
import type { Settlement } from './settlement.ts'

type Row = { key: string; disabled_for: 'gone' | 'failing' | null }

/** Every row is locked in the order of its identifier, and fenced: a worker that lost its lease changes nothing. */
const settleRows = statement<[settlements: string], Row>(`
with input as (
  select * from json_to_recordset($1::text::json) as t (
    o int, n int, id text, lease uuid, verdict text, outcome text, reason text, delay_s float8, started_ms float8,
    duration_ms int, status smallint, error_class text, response text, is_success boolean, is_probe boolean,
    grows boolean, halves boolean, is_gone boolean, retry_after_s float8)
), mine as materialized (
  select input.*, d.event_id, d.type, d.subscription_id, d.created_at
  from webhook_deliveries d join input on input.id = d.id and input.lease = d.lease
  order by d.id for update of d
), logged as (
  insert into webhook_attempts (delivery_id, n, started_at, duration_ms, status, error_class, response)
  select id, n, to_timestamp(started_ms / 1000), duration_ms, status, error_class, response
  from mine where started_ms is not null
), gone as (
  delete from webhook_deliveries d using mine where d.id = mine.id and mine.verdict = 'finish'
), done as (
  insert into webhook_deliveries_done (id, event_id, type, subscription_id, outcome, reason, attempts, created_at, finished_at)
  select id, event_id, type, subscription_id, outcome, reason, n, created_at, statement_timestamp()
  from mine where verdict = 'finish'
  on conflict (id) do update set outcome = excluded.outcome, reason = excluded.reason, attempts = excluded.attempts,
    finished_at = excluded.finished_at
), waiting as (
  update webhook_deliveries d set
    attempts = d.attempts + (mine.verdict = 'retry')::int,
    claims = d.claims - (mine.verdict = 'release')::int,
    lane = case when mine.verdict = 'retry' then 1 else d.lane end,
    lease = null,
    due_at = statement_timestamp() + mine.delay_s * interval '1 second'
  from mine where d.id = mine.id and mine.verdict <> 'finish'
), ${circuitBreakerExpressions}
select lease::text as key, null as disabled_for from mine
union all select id, disable_for from health where disable_for is not null`)

/** What of a batch was still this worker's to settle, by its lease (a batch may hold a lost and a living one of a row), and which subscriptions the batch disabled. */
export type Settled = { leases: Set<string>; disabled: { id: string; reason: 'gone' | 'failing' }[] }

/** Writes finished attempts: deliveries, log and health of the subscriptions, in one statement that changes all or nothing. */
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
  return { leases, disabled }
}

function inputOf({ id, lease, verdict, attempt, sign }: Settlement, logged: number) {
  const {
    kind,
    outcome = null,
    reason = null,
    delayS = null,
  } = { outcome: null, reason: null, delayS: null, ...verdict }
  return {
    ...{ n: logged + (attempt ? 1 : 0), id, lease, verdict: kind, outcome, reason, delay_s: delayS },
    ...(attempt && {
      started_ms: attempt.startedMs,
      duration_ms: attempt.durationMs,
      status: attempt.status,
      error_class: attempt.errorClass,
      response: attempt.response,
    }),
    ...(sign && {
      is_success: sign.isSuccess,
      is_probe: sign.isProbe,
      grows: sign.grows,
      halves: sign.halves,
      is_gone: sign.isGone,
      retry_after_s: sign.retryAfterS,
    }),
  }
}

/** A row that is being settled needs no renewal, so what is locked is passed over. */
const renewRows = statement<[ids: string[], leases: string[]], { id: string }>(`
with mine as materialized (
  select d.id from webhook_deliveries d join unnest($1::text[], $2::uuid[]) t (id, lease) on d.id = t.id and d.lease = t.lease
  order by d.id for update of d skip locked
)
update webhook_deliveries d set due_at = statement_timestamp() + interval '${LEASE_S} s'
from mine where d.id = mine.id returning d.id`)

/** Keeps the leases of attempts that wait for their settling. Returns the identifiers that are still this worker's. */
export async function renewLeases({ db }: Context, held: readonly { id: string; lease: string }[]): Promise<string[]> {
  const ids = held.map(({ id }) => id)
  const leases = held.map(({ lease }) => lease)
  const renewed = await renewRows(db, ids, leases)
  return renewed.map(({ id }) => id)
}
