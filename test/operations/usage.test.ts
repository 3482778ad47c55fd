import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import { makePartitions } from '../../src/db/partitions.ts'
import { clients, clientUsage, webhookAttempts, webhookDeliveriesDone } from '../../src/db/schema/index.ts'
import { createKey, revokeKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { deleteExpired } from '../../src/domain/expiry.ts'
import { UsageCounts } from '../../src/domain/usage/counts.ts'
import { getUsage } from '../../src/domain/usage/read.ts'
import { writeUsage } from '../../src/domain/usage/write.ts'
import { createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import { startUsageFlush } from '../../src/process/background/usage-flush.ts'
import { createTestApp } from '../support/app.ts'

const HOUR_MS = 3_600_000
/** Everybody may ask three times. */
const counters = memoryCounters()
const app = await createTestApp({
  counters: { ...counters, take: (limit, key) => counters.take({ ...limit, points: 3 }, key) },
})
afterAll(() => app[Symbol.asyncDispose]())
const { db } = app.context

const written = async (clientId: string) => {
  await writeUsage(app.context)
  const rows = await db.select().from(clientUsage).where(eq(clientUsage.clientId, clientId))
  return Object.fromEntries(
    rows.map(({ operation, requests, errors, limited }) => [operation, { requests, errors, limited }]),
  )
}

test('what an application asks for is counted by operation, what failed and what was too much as well', async () => {
  const client = await app.client()
  const token = await app.token(['channel:read'], { client })
  const [first, second] = [await app.token(['chat:read'], { client }), await app.token(['chat:write'], { client })]
  for (const slug of ['nobody', 'no-one', 'nobody', 'nobody']) await app.request(`GET /v1/channels/${slug}`, { token })
  for (const one of [first, second]) await app.request('GET /v1/channels/', { token: one })
  await app.request('GET /v1/channels/', { token: 'none of theirs' })
  await app.request('GET /v1/chat/messages?room_name=x', { token: first })
  expect(await written(client.id)).toEqual({
    'GET /v1/channels/{slug}': { requests: 4, errors: 3, limited: 1 },
    'GET /v1/channels/': { requests: 2, errors: 2, limited: 0 },
    'GET /v1/chat/messages': { requests: 1, errors: 0, limited: 0 },
  })
})

test('calls at /trpc count once each, also in a batch, also those that are refused', async () => {
  const client = await app.client()
  const token = await app.token(['channel:read'], { client })
  const input = encodeURIComponent(JSON.stringify({ 0: {}, 1: { slug: 'nobody' }, 2: {} }))
  const names = 'channels.list,channels.get,categories.list'
  expect((await app.request(`GET /trpc/${names}?batch=1&input=${input}`, { token })).status).toBe(207)
  expect(await written(client.id)).toEqual({
    '/trpc/channels.list': { requests: 1, errors: 0, limited: 0 },
    '/trpc/channels.get': { requests: 1, errors: 1, limited: 0 },
    '/trpc/categories.list': { requests: 1, errors: 1, limited: 0 },
  })
})

test('processes add to the same hour, and a new hour begins by itself', async () => {
  const { id } = await app.client()
  const clock = { at: new Date('2026-03-04T05:59:59.999Z') }
  const processes = [1, 2].map(() => ({ slow: app.context.slow, usage: new UsageCounts(() => clock.at) }))
  const count = (durationMs: number) => {
    for (const { usage } of processes) usage.count(id, 'GET /v1/channels/', 200, durationMs)
  }
  count(1.6)
  clock.at = new Date('2026-03-04T06:00:00Z')
  count(10)
  await Promise.all(processes.map(writeUsage))
  count(10)
  await Promise.all([...processes, ...processes].map(writeUsage))
  const rows = await db.select().from(clientUsage).where(eq(clientUsage.clientId, id)).orderBy(clientUsage.hour)
  expect(rows.map(({ hour, requests, durationMs }) => [hour.toISOString(), requests, durationMs])).toEqual([
    ['2026-03-04T05:00:00.000Z', 2, 4],
    ['2026-03-04T06:00:00.000Z', 4, 40],
  ])
})

test('an application that was deleted meanwhile hinders no other', async () => {
  const [gone, stays] = [await app.client(), await app.client()]
  for (const { id } of [gone, stays]) app.context.usage.count(id, 'GET /v1/channels/', 200, 1)
  await db.delete(clients).where(eq(clients.id, gone.id))
  expect(await written(stays.id)).toMatchObject({ 'GET /v1/channels/': { requests: 1 } })
  expect(await written(gone.id)).toEqual({})
})

test('what could not be written is written the next time', async () => {
  const { id } = await app.client()
  const { usage } = app.context
  usage.count(id, 'GET /v1/channels/', 500, 1)
  const broken = {
    usage,
    get slow(): never {
      throw new Error('no database')
    },
  }
  await expect(writeUsage(broken)).rejects.toThrow('no database')
  usage.count(id, 'GET /v1/channels/', 200, 1)
  expect(await written(id)).toEqual({ 'GET /v1/channels/': { requests: 2, errors: 1, limited: 0 } })
})

test('memory is bounded: what finds no room is lost, and what has a place goes on', () => {
  const usage = new UsageCounts(() => app.clock.at)
  for (let i = 0; i < 20_010; i++) usage.count(`cli_${i}`, 'GET /v1/channels/', 200, 1)
  usage.count('cli_0', 'GET /v1/channels/', 200, 1)
  expect(usage.lost).toBe(10)
  const taken = usage.take()
  expect([taken.length, taken[0]?.requests]).toEqual([20_000, 2])
})

test('what was lost is told', async () => {
  const usage = new UsageCounts(() => app.clock.at)
  usage.lost = 3
  {
    await using _keeping = startUsageFlush({ ...app.context, usage })
  }
  expect(app.lines.find((line) => line.includes('"lost":3'))).toContain('Usage counts dropped')
})

test('usage goes after 35 days', async () => {
  const { id } = await app.client()
  app.context.usage.count(id, 'GET /v1/channels/', 200, 1)
  expect(await written(id)).not.toEqual({})
  app.clock.at = new Date(app.clock.at.getTime() + 35 * 24 * HOUR_MS - HOUR_MS)
  await deleteExpired(app.context, app.clock.at)
  expect(await written(id)).not.toEqual({})
  app.clock.at = new Date(app.clock.at.getTime() + 2 * HOUR_MS)
  await deleteExpired(app.context, app.clock.at)
  expect(await written(id)).toEqual({})
})

test('a process writes down what it has counted before it ends', async () => {
  const { id } = await app.client()
  {
    await using _keeping = startUsageFlush(app.context)
    app.context.usage.count(id, 'GET /v1/channels/', 200, 1)
  }
  const rows = await db.select().from(clientUsage).where(eq(clientUsage.clientId, id))
  expect(rows).toMatchObject([{ requests: 1 }])
})

describe('the owner of an application sees', async () => {
  await makePartitions(app.context.slow, new Date('2026-03-31T00:00:00Z'), { back: 2 })
  const ada = { ...app.context, principal: await person('ada') }
  const created = await createApplication(ada, { name: 'Bot', confidential: true })
  const application_id = created.id
  const at = (text: string) => {
    app.clock.at = new Date(text)
  }
  const count = (operation: string, status: number, durationMs: number) =>
    app.context.usage.count(application_id, operation, status, durationMs)

  test('each of the last 24 hours and 30 days, also those in which nothing happened', async () => {
    at('2026-03-01T23:10:00Z')
    count('GET /v1/channels/', 200, 5)
    at('2026-03-31T11:59:59Z')
    for (const status of [200, 404, 429]) count('GET /v1/channels/', status, 10)
    at('2026-03-31T12:00:00Z')
    count('GET /v1/users/me', 500, 2)
    await writeUsage(app.context)

    const day = await getUsage(ada, { application_id, span: 'day' })
    expect([day.step, day.from, day.requests.length, day.deliveries.length]).toEqual([
      'hour',
      '2026-03-30T13:00:00.000Z',
      24,
      24,
    ])
    expect(day.requests.slice(-3)).toEqual([
      { at: '2026-03-31T10:00:00.000Z', requests: 0, errors: 0, limited: 0, mean_ms: null },
      { at: '2026-03-31T11:00:00.000Z', requests: 3, errors: 1, limited: 1, mean_ms: 10 },
      { at: '2026-03-31T12:00:00.000Z', requests: 1, errors: 1, limited: 0, mean_ms: 2 },
    ])
    const month = await getUsage(ada, { application_id, span: 'month' })
    expect(month.requests.map(({ requests }) => requests)).toEqual([...Array<number>(29).fill(0), 4])
    expect(month.operations).toEqual([
      { operation: 'GET /v1/channels/', requests: 3, errors: 1, limited: 1, mean_ms: 10 },
      { operation: 'GET /v1/users/me', requests: 1, errors: 1, limited: 0, mean_ms: 2 },
    ])
    at('2026-03-30T20:00:00Z')
    const yesterday = await getUsage(ada, { application_id, span: 'month' })
    expect(yesterday.requests.map(({ requests }) => requests)).toEqual([1, ...Array<number>(28).fill(0), 0])
  })

  test('where each living key stands in its limit', async () => {
    const { key, id, last4 } = await createKey(ada, { application_id, name: 'Site' })
    const revoked = await createKey(ada, { application_id, name: 'Old' })
    await revokeKey(ada, revoked)
    for (let i = 0; i < 2; i++) await app.request('GET /v1/channels/', { token: key })
    const { rate_limit } = await getUsage(ada, { application_id, span: 'day' })
    expect(rate_limit).toMatchObject({ limit: 800, window_s: 60 })
    expect(rate_limit.keys).toEqual([{ id, name: 'Site', last4, remaining: 798, reset_s: 60 }])
  })

  test('how fast the receivers answered the first attempt', async () => {
    at('2026-03-31T12:00:00Z')
    const url = 'http://127.0.0.1:9/hook'
    const { id: subscriptionId } = await createSubscriptionForApplication(ada, {
      application_id,
      url,
      event_types: ['chat.message.sent'],
    })
    for (const [hours, delaysMs] of [
      [0, [100, 200, 300]],
      [3, [1_000]],
    ] as const) {
      for (const delayMs of delaysMs)
        await addDelivery(subscriptionId, new Date(app.clock.at.getTime() - hours * HOUR_MS), delayMs)
    }
    const { deliveries, delivery_latency } = await getUsage(ada, { application_id, span: 'day' })
    expect(delivery_latency).toEqual({ sampled: 4, p50_ms: 255, p95_ms: 900 })
    expect(deliveries.at(-1)).toMatchObject({ sampled: 3, p50_ms: 205, p95_ms: 295 })
    expect(deliveries.at(-2)).toMatchObject({ sampled: 0, p50_ms: null, p95_ms: null })
    expect(deliveries.at(-4)).toMatchObject({ sampled: 1, p50_ms: 1_005, p95_ms: 1_005 })
  })

  test('nothing of an application that is somebody else’s', async () => {
    const bob = { ...app.context, principal: await person('bob') }
    await expect(getUsage(bob, { application_id, span: 'day' })).rejects.toMatchObject({ code: 'not_found' })
  })
})

async function person(username: string) {
  const { id: userId } = await app.user(username)
  return { kind: 'user' as const, userId, username, clientId: null, scopes }
}

/** A delivery whose second attempt was the good one; the receiver took 5 ms for the first. */
async function addDelivery(subscriptionId: string, createdAt: Date, delayMs: number) {
  const id = newId('delivery', createdAt)
  const at = (ms: number) => new Date(createdAt.getTime() + ms)
  const whole = { id, eventId: newId('event', createdAt), type: 'chat.message.sent', subscriptionId, createdAt }
  await db.insert(webhookDeliveriesDone).values({ ...whole, outcome: 'delivered', attempts: 2, finishedAt: at(99_000) })
  const attempt = { deliveryId: id, durationMs: 5 }
  await db.insert(webhookAttempts).values([
    { ...attempt, n: 1, startedAt: at(delayMs), status: 500 },
    { ...attempt, n: 2, startedAt: at(98_000), status: 200 },
  ])
}
