import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import type { Context } from '../../../src/domain/core/context.ts'
import { ATTEMPTS_MAX } from '../../../src/domain/webhooks/queue/retry-schedule.ts'
import { sweepStopped } from '../../../src/domain/webhooks/queue/sweep.ts'
import { type Received, type Receiver, verifyReceived } from '../../support/receiver.ts'

type Scenario = {
  context: Context
  receivers: Receiver[]
  secrets: Map<string, string[]>
  /** How many requests may have no attempt in the log, because they were killed, lost, or given back. */
  copiesMax: number
}

/** The longest pause before a retry, with the largest jitter. */
const DUE_WITHIN = `interval '29 hours'`

/** What must be true after every scenario, whatever was killed, lost or refused in it. */
export async function holds(scenario: Scenario): Promise<void> {
  const { context, receivers, secrets } = scenario
  await sweepStopped(context) // as the loop does every few seconds
  await everybodyHasTheirEvents(context)
  await logIsComplete(context)
  await ledgerIsTrue(scenario)
  oneIdIsOneText(receivers)
  for (const request of requestsOf(receivers)) {
    const known = secrets.get(subscriptionOf(request)) ?? []
    const verifies = known.some((secret) => isVerified(request, secret))
    expect(verifies, `a request for ${subscriptionOf(request)} verifies`).toBe(true)
  }
}

const requestsOf = (receivers: Receiver[]) => receivers.flatMap(({ requests }) => requests)
const subscriptionOf = ({ headers }: Received) => headers['x-subscription-id'] ?? ''
const pairOf = (request: Received) => `${request.headers['webhook-id']} ${subscriptionOf(request)}`

function isVerified(request: Received, secret: string): boolean {
  try {
    verifyReceived(request, secret)
    return true
  } catch {
    return false
  }
}

/**
 * For each event and matching subscription the delivery is finished, or an attempt is still to come: within the longest
 * pause, at most the tenth, and for a subscription that is enabled. A fan-out marker stands for deliveries not yet written.
 */
async function everybodyHasTheirEvents({ db }: Context) {
  const without = await db.execute(sql`
    select x.event_id, x.subscription_id from expected_deliveries x
    where not x.is_withdrawn
      and not exists (select from webhook_fanouts f where f.event_id = x.event_id and f.after_id < x.subscription_id)
      and not exists (select from webhook_deliveries_done d
        where d.event_id = x.event_id and d.subscription_id = x.subscription_id)
      and not exists (select from webhook_deliveries d join webhook_subscriptions s on s.id = d.subscription_id
        where d.event_id = x.event_id and d.subscription_id = x.subscription_id and d.attempts < ${ATTEMPTS_MAX}
          and d.due_at < statement_timestamp() + ${sql.raw(DUE_WITHIN)}
          and (d.lease is not null or (s.status = 'enabled' and s.deleted_at is null)))
    limit 5`)
  expect([...without], 'events that are neither finished nor will be tried').toEqual([])
  const twice = await db.execute(sql`
    select event_id, subscription_id from (
      select event_id, subscription_id from webhook_deliveries
      union all select event_id, subscription_id from webhook_deliveries_done
    ) d join events on events.id = event_id group by 1, 2 having count(*) > 1 limit 5`)
  expect([...twice], 'events that a subscription has two deliveries of').toEqual([])
}

/** One row per charged attempt, numbered from one; a replay charges from zero again and continues the numbers. */
async function logIsComplete({ db }: Context) {
  const wrong = await db.execute(sql`
    select d.id, d.attempts, log.* from (
      select id, attempts, true as is_done from webhook_deliveries_done
      union all select id, attempts, false from webhook_deliveries
    ) d
    cross join lateral (
      select count(*)::int as rows, coalesce(max(n), 0) as last from webhook_attempts a where a.delivery_id = d.id
    ) log
    where log.rows <> log.last or d.attempts > log.rows or (d.is_done and d.attempts <> log.rows)`)
  expect([...wrong], 'deliveries whose log is not complete').toEqual([])
}

type Fate = { pair: string; url: string | null; outcome: string | null; reached: number }

/** The ledger and the receivers agree, in both directions: what was delivered was accepted, and what was accepted is delivered. */
async function ledgerIsTrue({ context, receivers, copiesMax }: Scenario) {
  const fates = await context.db.execute<Fate>(sql`
    select d.event_id || ' ' || d.subscription_id as pair, s.url, d.outcome, (
      select count(*) from webhook_attempts a where a.delivery_id = d.id
        and coalesce(a.error_class in ('E_DEADLINE', 'E_RESET', 'E_BAD_RESPONSE', 'E_HEAD_TOO_LARGE'), true))::int as reached
    from (
      select id, event_id, subscription_id, outcome from webhook_deliveries_done
      union all select id, event_id, subscription_id, null from webhook_deliveries
      union all select null, event_id, subscription_id, 'withdrawn' from expected_deliveries where is_withdrawn
    ) d left join webhook_subscriptions s on s.id = d.subscription_id`)
  const known = new Map(fates.map((fate) => [fate.pair, fate]))
  const seen = grouped(requestsOf(receivers), pairOf)
  const ours = new Set(receivers.map(({ url }) => url))

  const unseen = fates.filter(
    ({ pair, url, outcome }) => outcome === 'delivered' && ours.has(url ?? '') && !seen.has(pair),
  )
  expect(unseen, 'delivered, as the ledger says, and never seen').toEqual([])
  expect(
    [...seen.keys()].filter((pair) => !known.has(pair)),
    'sent to somebody for whom it was not',
  ).toEqual([])
  const taken = [...seen].filter(([, requests]) => isSuccess(requests.at(-1)?.answered))
  expect(
    taken.filter(([pair]) => known.get(pair)?.outcome === 'failed'),
    'taken, and failed as the ledger says',
  ).toEqual([])
  const copies = [...seen].map(([pair, { length }]) =>
    isLogged(known.get(pair)) ? Math.max(0, length - (known.get(pair)?.reached ?? 0)) : 0,
  )
  expect(
    copies.reduce((sum, one) => sum + one, 0),
    'requests that nobody logged',
  ).toBeLessThanOrEqual(copiesMax)
}

const isSuccess = (status: number | undefined) => status !== undefined && status >= 200 && status < 300
const isLogged = (fate: Fate | undefined) => fate?.outcome !== 'withdrawn'

/** Copies of a delivery have the same identifier, and the same identifier always has the same bytes. */
function oneIdIsOneText(receivers: Receiver[]) {
  const texts = grouped(requestsOf(receivers), ({ headers }) => headers['webhook-id'] ?? '')
  const changed = [...texts].filter(([, [first, ...copies]]) =>
    copies.some(({ body }) => first && !body.equals(first.body)),
  )
  expect(
    changed.map(([id]) => id),
    'identifiers that were sent with different bytes',
  ).toEqual([])
}

function grouped(requests: Received[], keyOf: (request: Received) => string): Map<string, Received[]> {
  const groups = new Map<string, Received[]>()
  for (const request of requests) groups.set(keyOf(request), [...(groups.get(keyOf(request)) ?? []), request])
  return groups
}
