import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { endClient } from '../../src/db/pools.ts'
import { redeliver } from '../../src/domain/webhooks/deliveries/redeliver.ts'
import { CONNECT_MS } from '../../src/domain/webhooks/http/connector.ts'
import { DEADLINE_MS } from '../../src/domain/webhooks/http/transport.ts'
import { WINDOW_MAX } from '../../src/domain/webhooks/queue/circuit-breaker.ts'
import { claimDue } from '../../src/domain/webhooks/queue/claim.ts'
import { LEASE_S } from '../../src/domain/webhooks/queue/claim-rows.ts'
import { OWNER_IN_FLIGHT_MAX } from '../../src/domain/webhooks/queue/owner-share.ts'
import { queueMetrics } from '../../src/domain/webhooks/queue/queue-metrics.ts'
import { deliveryStatus } from '../../src/domain/webhooks/worker/delivery-status.ts'
import { SLOTS } from '../../src/domain/webhooks/worker/engine.ts'
import { deliveryMetrics } from '../../src/domain/webhooks/worker/metrics.ts'
import { recentWaits } from '../../src/domain/webhooks/worker/waits.ts'
import { BUDGET_MS } from '../../src/domain/webhooks/worker/work-by-cron.ts'
import { crowds } from './support/crowd.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
let made: ReturnType<typeof crowds>
beforeAll(async () => {
  stage = await createStage()
  made = crowds(stage)
})
afterAll(() => stage[Symbol.asyncDispose]())

test('an attempt is given 15 s in all, 5 of them to connect, and a lease 30', () => {
  expect([DEADLINE_MS, CONNECT_MS, LEASE_S]).toEqual([15_000, 5_000, 30])
})

test('the times and caps of the engine fit each other', () => {
  expect(LEASE_S * 1000).toBeGreaterThanOrEqual(2 * DEADLINE_MS)
  expect(BUDGET_MS).toBeGreaterThan(DEADLINE_MS)
  expect(DEADLINE_MS).toBeGreaterThan(CONNECT_MS)
  expect(SLOTS).toBeGreaterThanOrEqual(OWNER_IN_FLIGHT_MAX)
  expect(OWNER_IN_FLIGHT_MAX).toBeGreaterThanOrEqual(WINDOW_MAX)
})

test('what was done is counted, and how long it took', async () => {
  const before = { ...deliveryMetrics.attempts }
  const timed = deliveryMetrics.attemptS.count
  const scenes = await Promise.all([204, 500, 410].map((status) => stage.scene(() => ({ status }))))
  for (const { say } of scenes) await say()
  await stage.work()
  const { delivered, failed, retried, released } = deliveryMetrics.attempts
  expect([
    delivered - before.delivered,
    failed - before.failed,
    retried - before.retried,
    released - before.released,
  ]).toEqual([1, 1, 1, 0])
  expect(deliveryMetrics.attemptS.count - timed).toBe(3)
  expect(deliveryMetrics.inFlight).toEqual({ fast: 0, unproven: 0, slow: 0 })
  expect(deliveryMetrics.disabled.gone).toBeGreaterThan(0)
})

test('a transaction that has written and is left open is told, also while it asks nothing', async () => {
  const client = connect(stage.target, { max: 1 })
  const age = async () => (await queueMetrics(stage.context)).oldest_xmin_age_s
  await client.begin(async (tx) => {
    await tx`select pg_current_xact_id()`
    const first = await age()
    expect(await age()).toBeGreaterThan(first)
  })
  await endClient(client)
})

test('what waits is told: how many rows, for how long, and which subscriptions rest', async () => {
  const { say, pass, change } = await stage.scene()
  for (let n = 0; n < 3; n++) await say(`${n}`)
  await pass(90_000)
  const { due_lag_s, pending_first, pending_retries, open_breakers } = await queueMetrics(stage.context)
  expect(due_lag_s).toBeGreaterThan(85)
  expect([pending_first, pending_retries, open_breakers]).toEqual([3, 1, 0])
  expect((await deliveryStatus(stage.context)).due_lag_s).toBeGreaterThan(85)
  await change({ openUntil: new Date(Date.now() + 60_000) })
  const resting = await queueMetrics(stage.context)
  expect([resting.due_lag_s, resting.open_breakers], 'what cannot be claimed is not late').toEqual([0, 1])
  await change({ openUntil: null })
  await stage.work()
})

test('what was late is told for five minutes, by whichever process delivered it; what the receiver caused is not ours', async () => {
  const figures = () => recentWaits(stage.context, [0.5, 0.95])
  await stage.run('delete from webhook_waits')
  expect(await figures()).toEqual([null, null])
  const { id, say, queue, change } = await stage.scene()
  const happened = (s: number) =>
    stage.run(
      `update webhook_deliveries set created_at = statement_timestamp() - interval '${s} seconds' where subscription_id = '${id}'`,
    )
  await say('at once')
  await happened(0)
  await stage.work()
  const [half] = await figures()
  expect(half).toBeLessThanOrEqual(60)
  await stage.run('delete from webhook_waits')
  await say('71 seconds late')
  await happened(71)
  await stage.work()
  expect(await figures(), 'a bucket above a minute').toEqual([120, 120])
  for (const hindered of [
    { restedAt: new Date() },
    { restedAt: null, consecutiveFailures: 6, openUntil: new Date(Date.now() - 1_000) },
    { consecutiveFailures: 0, openUntil: null, sendWindow: 1 },
    { sendWindow: 8, attemptMs: 9_000 },
  ]) {
    await stage.run('delete from webhook_waits')
    await change(hindered)
    await say('its own delay')
    await happened(300)
    await stage.work()
    expect([await figures(), await queue()], JSON.stringify(hindered)).toEqual([[null, null], []])
  }
  await stage.run(`insert into webhook_waits values (now() - interval '6 minutes', 900000, 5)`)
  expect(await figures(), 'a window that slides').toEqual([null, null])
})

test('what is sent again by hand is no measure of how prompt we are', async () => {
  const { say, done } = await stage.scene()
  await say()
  await stage.work()
  const before = deliveryMetrics.publishToArrivalS.count
  await redeliver(stage.asOwner(), { id: (await done())[0]?.id ?? '' })
  await stage.work()
  expect(deliveryMetrics.publishToArrivalS.count).toBe(before)
})

test('who is at their cap is told', async () => {
  const owner = await stage.user('at_the_cap')
  await stage.run(`update users set created_at = now() where id = '${owner.id}'`)
  await made.crowd({ size: 4, rows: 5, ownerId: owner.id, attemptMs: 50 })
  const capped = async () => (await queueMetrics(stage.context)).owners_at_cap
  expect(await capped()).toBe(0)
  await claimDue(stage.context, { lane: 0, limit: 15 })
  expect(await capped()).toBe(0)
  await claimDue(stage.context, { lane: 0, limit: 15 })
  expect(await capped()).toBe(1)
  await made.clear()
})

test('what waits for other receivers of its account is not our delay', async () => {
  const owner = await stage.user('half_full')
  await stage.run(`update users set created_at = now() where id = '${owner.id}'`)
  const waited = async (limit: number) =>
    (await claimDue(stage.context, { lane: 0, limit, places: { unproven: 70 } })).rows.map(
      ({ waited_for_us }) => waited_for_us,
    )
  const lag = async () => (await queueMetrics(stage.context)).due_lag_s
  await made.crowd({ size: 12, rows: 1, ownerId: owner.id, attemptMs: 50 })
  expect(await lag()).toBeGreaterThan(0)
  expect(await waited(8)).toEqual(Array(8).fill(true))
  expect([await lag(), await waited(2)], 'eight of sixteen are in flight').toEqual([0, [false, false]])
  await made.clear()
  await made.crowd({ size: 3, rows: 1, ownerId: owner.id })
  expect(await waited(1)).toEqual([true])
  expect([await lag(), await waited(1)], 'one that never answered is in flight').toEqual([0, [false]])
  await made.clear()
})
