import { setTimeout as after } from 'node:timers/promises'
import { transact } from '../../src/domain/core/transaction.ts'
import { emitEvent } from '../../src/domain/events/emit.ts'
import { storeNewSecret } from '../../src/domain/webhooks/secrets/secrets.ts'
import { workDeliveries } from '../../src/domain/webhooks/worker/work.ts'
import { createLoadStage } from './webhook-stage.ts'

// npm run bench:fairness — two minutes: ten accounts with four applications and 400 subscriptions each, which answer 200 after
// 14 s, hear every event; so do twenty receivers of others, which answer at once and have never been sent anything before.

const ACCOUNTS = 10
const APPLICATIONS = 4
const SUBSCRIPTIONS = 100
const HEALTHY = 20
const EVENTS = 60
const EVERY_MS = 1_000
const GOAL_S = 2

await using stage = await createLoadStage({ healthy: HEALTHY, slow: 40 })
const ada = await stage.channel('ada')
const live = { id: 'str_x', title: null, category: null, thumbnail_url: null, channel: null, updated_at: 'now' }
for (let n = 0; n < ACCOUNTS; n++) await slowAccount(n)
const healthy: string[] = []
for (const port of stage.receivers.healthy) healthy.push(await stage.subscribe(port, 'livestream.started'))
await stage.run('analyze')

let wake = () => {}
const onWake = (ring: () => void) => {
  wake = ring
  return () => {}
}
const stop = new AbortController()
const loop = workDeliveries(stage.context, { signal: stop.signal, graceMs: 0, onWake })
for (let n = 0; n < EVENTS; n++) {
  await transact(stage.context, (tx) => emitEvent(tx, 'livestream.started', { channel: ada, data: live }))
  wake()
  await after(EVERY_MS)
}
await after(2 * GOAL_S * 1000)
report(await waits())
stop.abort()
await loop

/** An account from before the last week, so that it has the larger cap, with its applications and subscriptions. */
async function slowAccount(n: number) {
  const { id } = await stage.channel(`slow_${n}`)
  const ports = stage.receivers.slow
  const nth = (prefix: string) => `'${prefix}_01kdyak3sm' || lpad('${n}', 4, '0')`
  await stage.run(`update users set created_at = now() - interval '8 days' where id = '${id}'`)
  await stage.run(`
    with applications as (
      insert into clients (id, owner_id, name, confidential, grant_types, scopes, auth_method, created_at, updated_at)
      select ${nth('cli')} || lpad(a::text, 12, '0'), '${id}', 'Slow', true, '{client_credentials}'::text[], '{}'::text[],
        'secret', now(), now() from generate_series(1, ${APPLICATIONS}) a returning id
    ), made as (
      insert into webhook_subscriptions (id, client_id, url, event_types, created_at, updated_at)
      select ${nth('sub')} || right(applications.id, 6) || lpad(s::text, 6, '0'), applications.id,
        'http://127.0.0.1:' || (array[${ports}])[1 + s % ${ports.length}] || '/', '{livestream.started}', now(), now()
      from applications, generate_series(1, ${SUBSCRIPTIONS}) s returning id
    )
    insert into webhook_subscription_types select 'livestream.started', '*', id from made`)
  const made = await stage.run(`
    select s.id from webhook_subscriptions s join clients c on c.id = s.client_id where c.owner_id = '${id}'`)
  await transact(stage.context, async (tx) => {
    for (const row of made) await storeNewSecret(tx, String(row.id))
  })
}

/** Of each event how long the healthy waited, in seconds; what has not been sent yet counts as waiting still. */
async function waits(): Promise<{ event: number; wait_s: number }[]> {
  const list = healthy.map((id) => `'${id}'`)
  const rows = await stage.context.slow.execute<{ event: number; wait_s: number }>(`
    select dense_rank() over (order by e.id)::int as event,
      extract(epoch from coalesce((select min(a.started_at) from webhook_attempts a
        join webhook_deliveries_done d on d.id = a.delivery_id where d.event_id = e.id and d.subscription_id = s.id),
        clock_timestamp()) - e.occurred_at)::float8 as wait_s
    from events e cross join webhook_subscriptions s where e.type = 'livestream.started' and s.id in (${list})`)
  return [...rows]
}

function report(found: { event: number; wait_s: number }[]) {
  const quantile = (all: number[], share: number) =>
    all.toSorted((a, b) => a - b)[Math.ceil(all.length * share) - 1] ?? Number.NaN
  const show = (name: string, of: { wait_s: number }[]) => {
    const all = of.map((one) => one.wait_s)
    const figures = [0.5, 0.95, 1].map((share) => `${quantile(all, share).toFixed(2)} s`)
    process.stdout.write(`${name}: p50 ${figures[0]}, p95 ${figures[1]}, longest ${figures[2]}, of ${all.length}\n`)
    return quantile(all, 0.95)
  }
  const first = show(
    'the first event, to receivers that nobody knows yet',
    found.filter(({ event }) => event === 1),
  )
  const all = show('all events', found)
  if (Math.max(first, all) >= GOAL_S) process.exitCode = 1
}
