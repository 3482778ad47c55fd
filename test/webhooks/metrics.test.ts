import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { endClient } from '../../src/db/pools.ts'
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
import { BUDGET_MS } from '../../src/domain/webhooks/worker/work-by-cron.ts'
import { crowds } from './support/crowd.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
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

test('who is at their cap is told', async () => {
  const made = crowds(stage)
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
