import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { redeliver } from '../../src/domain/webhooks/deliveries/redeliver.ts'
import { ATTEMPTS_MAX } from '../../src/domain/webhooks/queue/retry-schedule.ts'
import { deliveryMetrics } from '../../src/domain/webhooks/worker/metrics.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

test('a message is delivered once: signed, with its id, its type and the joined resource', async () => {
  const { id, user, receiver, say, done } = await stage.scene()
  const sent = await say('héllo 👩‍👩‍👧‍👦')
  expect(await stage.work()).toEqual({ processed: 1, delivered: 1, failed: 0, retried: 0 })
  expect(await stage.work()).toEqual({ processed: 0, delivered: 0, failed: 0, retried: 0 })
  const [request, ...others] = receiver.requests
  expect(others).toEqual([])
  expect(request?.event).toMatchObject({
    type: 'chat.message.sent',
    timestamp: sent.created_at,
    channel: user,
    sequence: 1,
    data: { ...sent, user_identity: user.id, user_name: user.username },
  })
  expect(request?.headers).toMatchObject({
    'webhook-id': request?.event.id,
    'x-event-type': 'chat.message.sent',
    'x-subscription-id': id,
    'x-delivery-attempt': '1',
    'content-type': 'application/json; charset=utf-8',
    'accept-encoding': 'identity',
  })
  expect(request?.headers['user-agent']).toMatch(/^developer-api-webhooks\/\d/)
  for (const name of ['authorization', 'cookie']) expect(request?.headers).not.toHaveProperty(name)
  expect(await done()).toMatchObject([{ outcome: 'delivered', reason: null, attempts: 1 }])
})

describe('only 2xx is success', () => {
  test.for([200, 201, 202, 204, 299])('%i: delivered by one attempt', async (status) => {
    const { say, done, attempts } = await stage.scene(() => ({ status, body: status === 204 ? '' : '{"error":true}' }))
    await say()
    await stage.work()
    expect(await done()).toMatchObject([{ outcome: 'delivered', attempts: 1 }])
    expect(await attempts()).toMatchObject([{ n: 1, status, errorClass: null }])
  })

  test('every other status but 410 is tried again; a redirect is not followed', async () => {
    const elsewhere = await stage.receiver()
    const headers = { location: elsewhere.url }
    const redirects = [300, 301, 302, 303, 305, 307, 308].map((status) => ({ status, headers }))
    const others = [304, 301, 400, 401, 403, 404, 409, 418, 429, 451, 500, 502, 503, 504, 599].map((status) => ({
      status,
    }))
    const scenes = await Promise.all([...redirects, ...others].map((answer) => stage.scene(() => answer)))
    for (const { say } of scenes) await say()
    expect((await stage.work()).retried).toBe(scenes.length)
    for (const [index, { queue, attempts }] of scenes.entries()) {
      const { status } = [...redirects, ...others][index] ?? {}
      expect(await attempts(), `${status}`).toMatchObject([{ n: 1, status }])
      expect(await queue(), `${status}`).toMatchObject([{ attempts: 1, lane: 1, lease: null }])
    }
    expect(elsewhere.requests).toEqual([])
  })
})

test('500, then 204: after 5 s ±20 %, with the same id and bytes, a new time and signature', async () => {
  const { say, pass, queue, receiver, done } = await stage.scene((_, n) => ({ status: n === 1 ? 500 : 204 }))
  await say('twice')
  const before = await databaseMs()
  await stage.work()
  const after = await databaseMs()
  const [waiting] = await queue()
  expect(Number(waiting?.dueAt) - before).toBeGreaterThanOrEqual(4_000)
  expect(Number(waiting?.dueAt) - after).toBeLessThanOrEqual(6_000)
  await stage.work()
  expect(receiver.requests, 'it waits').toHaveLength(1)
  await pass(6_100)
  await nextSecond() // in one and the same second, time and signature are those of the first
  await stage.work()
  const [first, second] = receiver.requests
  const header = (name: string) => [first, second].map((request) => request?.headers[name])
  expect(second?.body).toEqual(first?.body)
  expect(header('x-delivery-attempt')).toEqual(['1', '2'])
  expect(new Set(header('webhook-id')).size).toBe(1)
  const [firstS, secondS] = header('webhook-timestamp').map(Number)
  expect(secondS).toBeGreaterThan(firstS ?? 0)
  expect(new Set(header('webhook-signature')).size).toBe(2)
  expect(await done()).toMatchObject([{ outcome: 'delivered', attempts: 2 }])
})

const databaseMs = async () => {
  const [row] = await stage.run('select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms')
  return Number(row?.ms)
}
const nextSecond = () => stage.run('select pg_sleep(1 - extract(epoch from clock_timestamp()) % 1)')

test('ten attempts are made, then it has failed; sent again by hand it may succeed, and the log goes on', async () => {
  const { say, pass, change, health, receiver, done, attempts } = await stage.scene((_, n) => ({
    status: n <= ATTEMPTS_MAX ? 500 : 200,
  }))
  await say('in vain')
  for (let n = 0; n < ATTEMPTS_MAX + 2; n++) {
    await stage.work()
    await pass(40 * 3_600_000)
    await change({ openUntil: null })
  }
  expect(receiver.requests).toHaveLength(ATTEMPTS_MAX)
  const [failed] = await done()
  expect(failed).toMatchObject({ outcome: 'failed', reason: 'exhausted', attempts: ATTEMPTS_MAX })
  await redeliver(stage.asOwner(), { id: failed?.id ?? '' })
  await stage.work()
  expect(await done()).toMatchObject([{ outcome: 'delivered', attempts: ATTEMPTS_MAX + 1 }])
  expect((await attempts()).map(({ n }) => n)).toEqual(Array.from({ length: ATTEMPTS_MAX + 1 }, (_, n) => n + 1))
  expect(await health()).toMatchObject({ consecutiveFailures: 0, failedAttempts: 0, firstFailureAt: null })
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
})

test('410 ends the delivery and disables the subscription; what is pending is held, nothing more is sent', async () => {
  const { say, health, receiver, done, queue } = await stage.scene(() => ({ status: 410 }))
  await say('gone')
  expect(await stage.work()).toMatchObject({ failed: 1 })
  expect(await health()).toMatchObject({ status: 'disabled', disabledReason: 'gone', disabledAt: expect.any(Date) })
  await say('nobody hears this')
  await stage.work()
  expect(receiver.requests).toHaveLength(1)
  expect(await done()).toMatchObject([{ outcome: 'failed', reason: 'gone', attempts: 1 }])
  expect(await queue()).toEqual([])
})

test('a row that ended worker after worker is finished as poison, and the others go on', async () => {
  const { say, receiver, done } = await stage.scene()
  await say('poison')
  await stage.run(`update webhook_deliveries set claims = 5`)
  await say('fine')
  await stage.work()
  expect(receiver.requests.map(({ event }) => event.data.content)).toEqual(['fine'])
  expect(await done()).toMatchObject([
    { outcome: 'failed', reason: 'poison', attempts: 0 },
    { outcome: 'delivered', attempts: 1 },
  ])
})

test('an event that is no longer kept is not sent', async () => {
  const { say, receiver, done } = await stage.scene()
  await say()
  await stage.run('delete from events where id in (select event_id from webhook_deliveries)')
  await stage.work()
  expect(receiver.requests).toEqual([])
  expect(await done()).toMatchObject([{ outcome: 'expired' }])
})

test('what a receiver answers is kept as text that can be shown: NUL and broken bytes replaced, at most 4 kB', async () => {
  const hostile = Buffer.concat([
    Buffer.from([0x61, 0xff, 0xfe, 0, 0x62, 0xc3]),
    Buffer.from(`'; drop table --\u001b[31m<b>`),
  ])
  const { say, attempts } = await stage.scene((_, n) => ({ status: 200, body: n === 1 ? hostile : '🙈'.repeat(5_000) }))
  await say()
  await say()
  await stage.work()
  const responses = (await attempts()).map(({ response }) => response ?? '')
  expect(responses).toContain(`a\ufffd\ufffd\ufffdb\ufffd'; drop table --\u001b[31m<b>`)
  expect(responses).toContain('🙈'.repeat(1_024))
})

test('a subscription made while private targets were allowed is not contacted once they are forbidden', async () => {
  const { say, receiver, attempts } = await stage.scene()
  await say()
  const { context } = stage
  const targets = context.targets
  context.targets = { ...targets, allowPrivate: false }
  await stage.work()
  context.targets = targets
  expect(receiver.requests).toEqual([])
  expect(await attempts()).toMatchObject([{ status: null, errorClass: 'E_UNSAFE_URL' }])
})

describe('the clock of the host is wrong', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test.each([1, -1])('by %i h: times of attempts, retries and rests are the database’s', async (hours) => {
    const { say, receiver, queue, health } = await stage.scene(() => ({
      status: 503,
      headers: { 'retry-after': '60' },
    }))
    const right = stage.clock.at
    const offMs = hours * 3_600_000
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs })
    stage.clock.at = new Date(right.getTime() + offMs)
    await say()
    await stage.work()
    stage.clock.at = right
    const nowS = (await databaseMs()) / 1_000
    const [waiting] = await queue()
    const ahead = (at: Date | null | undefined) => Number(at) / 1_000 - nowS
    expect(Math.abs(Number(receiver.requests[0]?.headers['webhook-timestamp']) - nowS)).toBeLessThan(30)
    for (const at of [waiting?.dueAt, (await health()).openUntil]) {
      expect(ahead(at)).toBeGreaterThan(30)
      expect(ahead(at)).toBeLessThanOrEqual(60)
    }
  })

  test.each([1, -1])('by %i h: a date in `Retry-After` is read by the database’s', async (hours) => {
    const until = new Date(Date.now() + 120_000).toUTCString()
    const { say, health } = await stage.scene(() => ({ status: 429, headers: { 'retry-after': until } }))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 })
    await say()
    await stage.work()
    expect(Math.round((await health()).openUntil?.getTime() ?? 0) - Date.parse(until)).toBeLessThan(5_000)
    expect(Math.round((await health()).openUntil?.getTime() ?? 0) - Date.parse(until)).toBeGreaterThan(-5_000)
  })
})

test('a worker that lost its lease under a long attempt settles nothing: who holds it now does', async () => {
  await using own = await createStage() // no retry of another scene comes due in it
  let answer: () => void = () => {}
  const late = new Promise<object>((resolve) => {
    answer = () => resolve({ status: 500 })
  })
  const { say, pass, receiver, done, attempts } = await own.scene((_, n) => (n === 1 ? late : {}))
  await say()
  const slow = own.work()
  await receiver.received(1)
  await pass(40_000)
  const lost = deliveryMetrics.lostLeases
  const quick = own.work() // whichever of the two claims it again
  await receiver.received(2)
  answer()
  const counts = await Promise.all([slow, quick])
  expect(counts.reduce((sum, { processed }) => sum + processed, 0)).toBe(1)
  expect(deliveryMetrics.lostLeases - lost).toBe(1)
  expect(await done()).toMatchObject([{ outcome: 'delivered', attempts: 1 }])
  expect(await attempts()).toMatchObject([{ n: 1, status: 204 }])
})
