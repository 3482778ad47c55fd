import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPools } from '../../src/db/pools.ts'
import { WakeHub } from '../../src/domain/events/wake-hub.ts'
import { createTransport } from '../../src/domain/webhooks/http/transport.ts'
import { workDeliveries } from '../../src/domain/webhooks/worker/work.ts'
import { createTestApp } from '../support/app.ts'
import { crowds } from './support/crowd.ts'
import { longTest } from './support/long.ts'
import { serve } from './support/serve.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const counts = (delivered: number, failed: number, retried: number) => ({
  processed: delivered + failed + retried,
  delivered,
  failed,
  retried,
})

test('counts what the call settled: delivered, failed for good, to be tried again', async () => {
  const scenes = await Promise.all([204, 500, 410].map((status) => stage.scene(() => ({ status }))))
  for (const { say } of scenes) await say()
  expect(await stage.work()).toEqual(counts(1, 1, 1))
  expect(await stage.work()).toEqual(counts(0, 0, 0))
  await scenes[1]?.pass()
  expect(await stage.work()).toEqual(counts(0, 0, 1))
})

test('beside those who hold all connections for slow statements a call delivers all the same', async () => {
  const { say, receiver } = await stage.scene()
  await say()
  await using _ = await stage.holdSlow()
  expect(await stage.work({ budgetMs: 2_000 })).toEqual(counts(1, 0, 0))
  expect(receiver.requests).toHaveLength(1)
})

test('ten calls at once share the work, send each event once, and their counts add up', async () => {
  const { say, receiver } = await stage.scene()
  for (let n = 0; n < 40; n++) await say(`${n}`)
  const calls = await Promise.all(Array.from({ length: 10 }, () => stage.work()))
  expect(calls.reduce((sum, { processed }) => sum + processed, 0)).toBe(40)
  expect(calls.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(40)
  expect(receiver.requests).toHaveLength(40)
})

describe('calls by GET and POST that overlap', () => {
  const EVENTS = 60
  const call = async (base: string, method: string): Promise<ReturnType<typeof counts>> =>
    (await fetch(`${base}/cron/webhook-deliveries`, { method })).json() as never
  const callAll = (base: string) => Promise.all(['GET', 'POST', 'GET', 'POST'].map((method) => call(base, method)))
  const sum = (of: 'processed' | 'delivered', calls: ReturnType<typeof counts>[]) =>
    calls.reduce((all, one) => all + one[of], 0)

  test('send each event once, and their counts add up', async () => {
    await using own = await createStage()
    await using server = await serve(own.context)
    const { user, receiver } = await own.scene(undefined, { types: ['livestream.started'] })
    await own.emit(EVENTS, user)
    const calls = await callAll(server.base)
    expect([sum('processed', calls), sum('delivered', calls)]).toEqual([EVENTS, EVENTS])
    expect(receiver.requests).toHaveLength(EVENTS)
  })

  test('and the loop of the worker beside them: each event is sent once, and all the counts add up', async () => {
    const wakeHub = new WakeHub()
    await using own = await createStage({ wake: wakeHub.wake })
    await using server = await serve(own.context)
    const { user, receiver } = await own.scene(undefined, { types: ['livestream.started'] })
    const stop = new AbortController()
    const loop = workDeliveries(own.context, { signal: stop.signal, onWake: wakeHub.onWake })
    await own.emit(EVENTS, user)
    const calls = await callAll(server.base)
    await receiver.receivedEvents(EVENTS)
    stop.abort()
    expect(sum('delivered', [...calls, await loop])).toBe(EVENTS)
    expect(receiver.requests).toHaveLength(EVENTS)
  })

  longTest('answer within 25 s beside receivers that hang, each of which was given its 15 s and charged', async () => {
    await using own = await createStage()
    await using server = await serve(own.context)
    const { user, receiver, attempts } = await own.scene(() => 'hang', { types: ['livestream.started'] })
    await own.emit(4, user)
    const begun = performance.now()
    const calls = await callAll(server.base)
    expect(performance.now() - begun).toBeLessThan(25_000)
    expect(calls.reduce((all, { retried }) => all + retried, 0)).toBe(4)
    expect(receiver.requests).toHaveLength(4)
    for (const { errorClass, durationMs } of await attempts()) {
      expect([errorClass, Math.floor(durationMs / 1_000)]).toEqual(['E_DEADLINE', 15])
    }
  })
})

test('a call keeps its budget when that is over before the deadline of its attempts: they are given back, uncharged', async () => {
  const { say, queue, receiver } = await stage.scene(() => 'hang')
  await say()
  const begun = performance.now()
  expect(await stage.work({ budgetMs: 200 })).toEqual(counts(0, 0, 0))
  expect(performance.now() - begun).toBeLessThan(5_000)
  expect(receiver.requests).toHaveLength(1)
  expect(await queue()).toMatchObject([{ attempts: 0, claims: 0, lease: null }])
  await stage.withdraw()
})

test('what a delivery sets free is claimed by the same call, far beyond the window', async () => {
  const { say, receiver } = await stage.scene()
  for (let n = 0; n < 100; n++) await say(`${n}`)
  expect(await stage.work()).toEqual(counts(100, 0, 0))
  expect(receiver.requests).toHaveLength(100)
})

test('three hundred subscriptions that rest do not hide the one that is well, in one call', async () => {
  const { crowd, clear } = crowds(stage)
  await crowd({ size: 300, rows: 1 })
  await stage.run(
    "update webhook_subscriptions set open_until = now() + interval '1 hour' where url = 'http://127.0.0.1:9/'",
  )
  const { say, receiver } = await stage.scene()
  await say()
  expect(await stage.work()).toEqual(counts(1, 0, 0))
  expect(receiver.requests).toHaveLength(1)
  await clear()
})

test('receivers that hang are waited for until the deadline of the attempt, and charged', async () => {
  const { say, attempts, health } = await stage.scene(() => 'hang')
  await say()
  const rules = { allowPrivate: true, proxyUrl: undefined, isAllowed: () => true }
  const resolve = async () => []
  const sender = { rules, transport: createTransport({ rules, resolve, deadlineMs: 150 }) }
  expect(await stage.work({ sender })).toEqual(counts(0, 0, 1))
  expect(await attempts()).toMatchObject([{ status: null, errorClass: 'E_DEADLINE' }])
  expect((await health()).sendWindow).toBe(4)
})

test('a call that is told to stop gives back what it has not finished, uncharged', async () => {
  const { say, queue, receiver } = await stage.scene(() => 'hang')
  await say()
  const stop = new AbortController()
  const working = stage.work({ signal: stop.signal, budgetMs: 300 })
  await receiver.received(1)
  stop.abort()
  expect(await working).toEqual(counts(0, 0, 0))
  expect(await queue()).toMatchObject([{ attempts: 0, claims: 0, lease: null }])
  await stage.withdraw()
})

test('without the database the operation answers 503, never ok', async () => {
  await using app = await createTestApp()
  expect((await app.request('POST /cron/webhook-deliveries')).body).toEqual({ ok: true, ...counts(0, 0, 0) })
  const { headers } = await app.request('GET /cron/webhook-deliveries')
  expect(headers.get('cache-control')).toBe('no-store')
  await using unreachable = openPools('postgres://127.0.0.1:1/nobody_listens')
  Object.assign(app.context, unreachable)
  const { status, body } = await app.request('POST /cron/webhook-deliveries')
  expect([status, body.error.code]).toEqual([503, 'unavailable'])
})

test.each([
  ['open to this machine', 'this machine' as const, { outcome: 'delivered', status: 200 }],
  ['behind its secret', { secret: 'a'.repeat(32) }, { outcome: undefined, status: 401 }],
])('a subscription to the operation itself makes no storm: %s', async (_, cronAccess, { outcome, status }) => {
  await using server = await serve({ ...stage.context, cronAccess })
  const { change, say, done, attempts } = await stage.scene()
  await change({ url: `${server.base}/cron/webhook-deliveries` })
  for (let n = 0; n < 5; n++) await say(`${n}`)
  await stage.work()
  expect(server.calls).toBe(5)
  expect((await attempts()).map((attempt) => attempt.status)).toEqual(Array(5).fill(status))
  expect((await done()).map((delivery) => delivery.outcome)).toEqual(Array(outcome ? 5 : 0).fill(outcome))
})
