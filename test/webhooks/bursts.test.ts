import { afterAll, beforeEach, expect, test } from 'vitest'
import { type Claimed, claimDue, type Lane } from '../../src/domain/webhooks/queue/claim.ts'
import { queueMetrics } from '../../src/domain/webhooks/queue/queue-metrics.ts'
import { settle } from '../../src/domain/webhooks/queue/settle.ts'
import { type HealthSignal, releaseOf, type Settlement } from '../../src/domain/webhooks/queue/settlement.ts'
import { crowds } from './support/crowd.ts'
import { createStage } from './support/stage.ts'

const stage = await createStage()
const made = crowds(stage)
beforeEach(() => made.clear())
afterAll(async () => {
  await made.clear()
  await stage[Symbol.asyncDispose]()
})

const WINDOW = 8
const LATE_MS = 300_000
const record = {
  ...{ startedMs: Date.now(), durationMs: 50, status: 200, errorClass: null, detail: null },
  ...{ request: null, responseHeaders: null, response: null },
}
const signal = { isSuccess: true, isProbe: false, grows: false, halves: false, goneUrl: null, retryAfterS: null }

const delivered = (row: Claimed, health: Partial<HealthSignal> = {}): Settlement => ({
  ...releaseOf(row),
  outcome: { kind: 'finish', result: 'delivered', reason: null },
  attempt: record,
  health: { ...signal, fillsWindow: row.fills_window, ...health },
})
const claim = async (limit = 64, lane: Lane = 0) => (await claimDue(stage.context, { lane, limit })).rows
const end = (rows: Claimed[], health: Partial<HealthSignal> = {}) =>
  settle(
    stage.context,
    rows.map((row) => delivered(row, health)),
  )
const lags = async () => {
  const { due_lag_s, retry_lag_s } = await queueMetrics(stage.context)
  return [due_lag_s, retry_lag_s].map(Math.round)
}
/** So many deliveries to a receiver that is known to be fast, all of them late. */
async function burst(rows: number, lane: Lane = 0) {
  const [id = ''] = await made.crowd({ size: 1, rows, attemptMs: 50, lane })
  await stage.pass(LATE_MS)
  return id
}
const ofUs = (rows: Claimed[]) => rows.filter(({ waited_for_us }) => waited_for_us).length

test('of a burst the first has waited for us; what waits behind all that its receiver takes at once waits for that', async () => {
  await burst(3 * WINDOW)
  expect(await lags()).toEqual([300, 0])
  const first = await claim()
  expect([first.length, ofUs(first)]).toEqual([WINDOW, 1])
  await end(first)
  expect(await lags(), 'nothing is in flight, and the rest is still to be sent').toEqual([0, 0])
  const second = await claim()
  expect([second.length, ofUs(second)]).toEqual([WINDOW, 0])
  await end(second)
})

test('so it is in whatever order its attempts end, also when all of a window end after what filled it', async () => {
  await burst(2 * WINDOW + 1)
  const rows = await claim()
  const full = rows.filter(({ fills_window }) => fills_window)
  expect(full).toHaveLength(1)
  await end(full)
  const next = await claim()
  expect(next.map(({ fills_window, waited_for_us }) => [fills_window, waited_for_us])).toEqual([[true, false]])
  await end([...rows.filter((row) => !full.includes(row)), ...next].toReversed())
  expect([await lags(), ofUs(await claim())]).toEqual([[0, 0], 0])
})

test('what waits although its receiver has taken less than it could waits for us', async () => {
  await burst(3 * WINDOW)
  await end(await claim(WINDOW - 1))
  expect(await lags()).toEqual([300, 0])
  expect(ofUs(await claim(WINDOW - 1))).toBe(1)
})

test('what happens once the window has room again waits for us again', async () => {
  const id = await burst(WINDOW)
  await end(await claim())
  await made.deliveries([id], 1)
  await stage.run(`update webhook_deliveries set created_at = statement_timestamp() + interval '1 second'`)
  expect(ofUs(await claim())).toBe(1)
})

test('a receiver that asks for fewer at a time has kept waiting what waits then', async () => {
  await burst(WINDOW)
  await end(await claim(2), { halves: true })
  expect([await lags(), ofUs(await claim(2))]).toEqual([[0, 0], 0])
})

test('retries that wait for us have a figure of their own, by the same rule', async () => {
  await burst(3 * WINDOW, 1)
  expect(await lags()).toEqual([0, 300])
  await end(await claim(64, 1))
  expect(await lags()).toEqual([0, 0])
})
