import { transact } from '../../src/domain/core/transaction.ts'
import { emitEvent } from '../../src/domain/events/emit.ts'
import { replayDeliveries } from '../../src/domain/webhooks/deliveries/replay.ts'
import { createSender, sendAttempt } from '../../src/domain/webhooks/http/send.ts'
import { claimDue } from '../../src/domain/webhooks/queue/claim.ts'
import { DatabaseClock } from '../../src/domain/webhooks/queue/database-clock.ts'
import { settle } from '../../src/domain/webhooks/queue/settle.ts'
import { releaseOf } from '../../src/domain/webhooks/queue/settlement.ts'
import { newSigningSecret, signingKey } from '../../src/domain/webhooks/secrets/sign.ts'
import { workDeliveries } from '../../src/domain/webhooks/worker/work.ts'
import { createLoadStage, type LoadStage } from './webhook-stage.ts'

// npm run bench:webhooks — figures of one run on this machine; loopback only, about half a minute. Read the ratios.

const RECEIVERS = 200
const EVENTS = 60
const AT_ONCE = 128
const LONG_MS = 600_000

type Figures = { name: string; value: string; goal?: string; isMet?: boolean }[]
const figures: Figures = []
const note = (name: string, value: string, goal?: string, isMet?: boolean) =>
  figures.push({ name, value, ...(goal && { goal }), ...(isMet !== undefined && { isMet }) })
const perSecond = (count: number, ms: number) => `${Math.round((count / ms) * 1000).toLocaleString('en')} /s`
const timed = async (work: () => Promise<unknown>) => {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

await using stage = await createLoadStage({ healthy: RECEIVERS, hanging: 1 })
const live = {
  title: 'x'.repeat(700),
  category: null,
  thumbnail_url: null,
  channel: null,
  updated_at: '2026-01-02T03:04:05.678Z',
}
const ada = await stage.channel('ada')
const subscriptions: string[] = []
const [hangingPort = 0] = stage.receivers.hanging
const hangingOne = () => stage.subscribe(hangingPort, 'livestream.ended')
/** Deliveries so far. */
let expected = 0
for (const port of stage.receivers.healthy) subscriptions.push(await stage.subscribe(port, 'livestream.started'))

const ceiling = await measureCeiling()
const pipeline = await measurePipeline()
note('pipeline ÷ ceiling', (pipeline / ceiling).toFixed(2), '≥ 0.25', pipeline / ceiling >= 0.25)
await measureBeside('1,000 hanging', oneHangs)
await measureBeside('sixty hanging of one application', sixtyHang)
await measureBeside('a replay of 10,000', manyAreReplayed)
await measureClaim()
report()

function emit(type: 'livestream.started' | 'livestream.ended', count: number) {
  return transact(stage.context, async (tx) => {
    for (let n = 0; n < count; n++) await emitEvent(tx, type, { channel: ada, data: { id: `str_${n}`, ...live } })
  })
}

/** What the guarded sender alone can do: the attempts that the pipeline makes, without a database. */
async function measureCeiling(): Promise<number> {
  const sender = createSender(stage.context)
  const requests = stage.receivers.healthy.map((port, n) => ({
    delivery: { event_id: 'evt_x', type: 'livestream.started', subscription_id: `sub_${n}`, attempts: 0 },
    url: `http://127.0.0.1:${port}/hook`,
    payload: JSON.stringify({ ...live, pad: 'y'.repeat(250) }),
    keys: [signingKey(newSigningSecret())],
  }))
  const clock = new DatabaseClock(Date.now())
  const count = RECEIVERS * EVENTS
  let next = 0
  const work = async () => {
    for (let n = next++; n < count; n = next++) {
      const request = requests[n % requests.length]
      if (request) await sendAttempt(sender, request, clock, new AbortController().signal)
    }
  }
  const round = () => {
    next = 0
    return Promise.all(Array.from({ length: AT_ONCE }, work))
  }
  await round() // connections are made, code is compiled
  const ms = await timed(round)
  await sender.transport.close()
  note(`guarded sender alone, ${RECEIVERS} receivers`, perSecond(count, ms))
  return count / ms
}

async function measurePipeline(): Promise<number> {
  await deliver(EVENTS / 4) // code is compiled
  const { emitting, ms } = await deliver(EVENTS)
  const count = RECEIVERS * EVENTS
  note('emission to 200 subscriptions', `${perSecond(EVENTS, emitting)}, ${perSecond(count, emitting)} rows`)
  note('whole pipeline: claim, send, settle', perSecond(count, ms))
  return count / ms
}

/** Emits, then delivers all of it; how long each of them took. */
async function deliver(events: number): Promise<{ emitting: number; ms: number }> {
  const emitting = await timed(() => emit('livestream.started', events))
  let delivered = 0
  const ms = await timed(async () => {
    delivered = (await workDeliveries(stage.context, { budgetMs: LONG_MS })).delivered
  })
  expected += events * RECEIVERS
  if (delivered !== events * RECEIVERS) throw new Error(`${delivered} of ${events * RECEIVERS} were delivered`)
  return { emitting, ms }
}

/** A thousand deliveries to one that hangs. */
async function oneHangs(): Promise<void> {
  await hangingOne()
  await emit('livestream.ended', 1_000)
}

/** Sixty subscriptions of one application, ten deliveries each. */
async function sixtyHang(): Promise<void> {
  const ids: string[] = []
  for (let n = 0; n < 60; n++) ids.push(await hangingOne())
  const list = ids.map((id) => `'${id}'`)
  await stage.run(`
    update webhook_subscriptions set client_id = (select client_id from webhook_subscriptions where id = ${list[0]})
    where id in (${list})`)
  await emit('livestream.ended', 10)
}

/** Ten thousand deliveries that went out already are asked for again. */
async function manyAreReplayed(): Promise<void> {
  const operator = { ...stage.context, principal: { kind: 'operator' } } as const
  let queued = 0
  for (const subscription of subscriptions) {
    if (queued >= 10_000) return
    queued += (await replayDeliveries(operator, { subscription, only: 'all' })).queued
  }
  throw new Error(`${queued} deliveries are no flood`)
}

/** How long after their cause first attempts at healthy receivers have ended, beside what `burden` puts into the queue. */
async function measureBeside(name: string, burden: () => Promise<void>): Promise<void> {
  await burden()
  const stop = new AbortController()
  let wake = () => {}
  const onWake = (ring: () => void) => {
    wake = ring
    return () => {}
  }
  const loop = workDeliveries(stage.context, { signal: stop.signal, graceMs: 0, onWake })
  await stage.run('select pg_sleep(0.5)')
  await emit('livestream.started', 5)
  wake()
  expected += RECEIVERS * 5
  await untilDelivered(stage, expected)
  stop.abort()
  await loop
  const [row] = await stage.context.slow.execute<{ p95: number }>(`
    select percentile_cont(0.95) within group (order by extract(epoch from a.started_at + a.duration_ms * interval '1 ms' - d.created_at))::float8 as p95
    from webhook_attempts a join (select * from webhook_deliveries_done order by id desc limit ${RECEIVERS * 5}) d on d.id = a.delivery_id
    where d.outcome = 'delivered'`)
  const p95 = row?.p95 ?? Number.POSITIVE_INFINITY
  note(`healthy p95 beside ${name}`, `${p95.toFixed(2)} s`, '< 2 s', p95 < 2)
  await stage.run("delete from webhook_subscription_types where type = 'livestream.ended'")
  await stage.run('truncate webhook_deliveries')
}

async function untilDelivered({ context }: LoadStage, wanted: number) {
  for (;;) {
    const [row] = await context.slow.execute<{ n: number }>(`
      select count(*)::int as n, pg_sleep(0.05)::text from webhook_deliveries_done where outcome = 'delivered'`)
    if ((row?.n ?? 0) >= wanted) return
  }
}

async function measureClaim(): Promise<void> {
  const [dead = ''] = subscriptions
  const cost = async (rows: number) => {
    await stage.run('truncate webhook_deliveries')
    await stage.run(`
      insert into webhook_deliveries (id, event_id, type, subscription_id, due_at, created_at)
      select 'dlv_0' || s.id || n, 'evt_' || n, 'livestream.started', s.id,
        case when n % 2 = 0 then now() - interval '1 hour' else now() + (s.id <> '${dead}')::int * interval '-1 s' + (s.id = '${dead}')::int * interval '1 hour' end, now()
      from webhook_subscriptions s, generate_series(1, case when s.id = '${dead}' then ${rows} else 5 end) n`)
    await stage.run('vacuum analyze webhook_deliveries')
    const times: number[] = []
    for (let n = 0; n < 21; n++) {
      const begun = performance.now()
      const { rows: claimed } = await claimDue(stage.context, { lane: 0, limit: 100 })
      times.push(performance.now() - begun)
      await settle(
        stage.context,
        claimed.map((row) => releaseOf(row)),
      )
    }
    return times.toSorted((a, b) => a - b)[10] ?? 0
  }
  const few = await cost(200)
  const many = await cost(200_000)
  note('claim of 100 beside 100 dead rows', `${few.toFixed(1)} ms`)
  note(
    'claim of 100 beside 100,000 dead rows',
    `${many.toFixed(1)} ms`,
    '< 10 ms and within 3×',
    many < 10 && many < 3 * few,
  )
}

function report() {
  const width = Math.max(...figures.map(({ name }) => name.length))
  for (const { name, value, goal, isMet } of figures) {
    const verdict = goal === undefined ? '' : `   goal ${goal}: ${isMet ? 'met' : 'missed'}`
    process.stdout.write(`${name.padEnd(width)}  ${value}${verdict}\n`)
  }
  if (figures.some(({ isMet }) => isMet === false)) process.exitCode = 1
}
