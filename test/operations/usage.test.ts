import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { memoryCounters } from '../../src/db/counters.ts'
import { clients, clientUsage } from '../../src/db/schema/index.ts'
import { deleteExpired } from '../../src/domain/expiry.ts'
import { UsageCounts } from '../../src/domain/usage/counts.ts'
import { writeUsage } from '../../src/domain/usage/write.ts'
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

test('usage goes after 35 days', async () => {
  const { id } = await app.client()
  app.context.usage.count(id, 'GET /v1/channels/', 200, 1)
  expect(await written(id)).not.toEqual({})
  app.clock.at = new Date(app.clock.at.getTime() + 35 * 24 * HOUR_MS - HOUR_MS)
  await deleteExpired(app.context)
  expect(await written(id)).not.toEqual({})
  app.clock.at = new Date(app.clock.at.getTime() + 2 * HOUR_MS)
  await deleteExpired(app.context)
  expect(await written(id)).toEqual({})
})
