import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { makePartitions } from '../../src/db/partitions.ts'
import { apiKeys, webhookAttempts, webhookDeliveries, webhookDeliveriesDone } from '../../src/db/schema/index.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { findAttention } from '../../src/domain/applications/attention/needs-attention.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { writeRequestLog } from '../../src/domain/requests/write.ts'
import { getSubscription } from '../../src/domain/webhooks/subscriptions/get.ts'
import { listSubscriptionDetails } from '../../src/domain/webhooks/subscriptions/list.ts'
import { makesDevelopers } from '../mail/developers.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp({ now: () => new Date() })
afterAll(() => app[Symbol.asyncDispose]())
app.clock.at = new Date()
const { db } = app.context
await makePartitions(db, new Date(), { back: 3 })

const makeDeveloper = makesDevelopers(app)
/** Somebody with an application that has a key. */
async function developer() {
  const { asOwner, application } = await makeDeveloper()
  const { id, subscribe } = await application()
  return { asOwner, id, key: await createKey(asOwner, { application_id: id, name: 'CI' }), subscribe }
}

const HOUR_MS = 3_600_000
const ago = (ms: number) => new Date(Date.now() - ms)

test('who has nothing that is wrong has nothing, whatever is wrong with others', async () => {
  const [mine, other] = [await developer(), await developer()]
  await mine.subscribe({ lastSuccessAt: ago(HOUR_MS), attemptMs: 30 })
  await other.subscribe({ firstFailureAt: ago(HOUR_MS) })
  await app.request('GET /v1/channels/', { token: mine.key.key })
  await app.request('GET /v1/channels/nobody', { token: other.key.key })
  await writeRequestLog(app.context)
  const nothing = { subscriptions: [], failed_deliveries: [], keys: [], failures: [] }
  expect(await findAttention(mine.asOwner)).toMatchObject({ ...nothing, subscriptions_total: 0, failures_total: 0 })
  expect(await findAttention(other.asOwner)).toMatchObject({ subscriptions: [{}], failures: [{}] })
})

test('a failing subscription tells of its last answer and its next attempt, one that will be disabled when', async () => {
  const { asOwner, subscribe, id: application_id } = await developer()
  const failing = await subscribe({ firstFailureAt: ago(26 * HOUR_MS), failedAttempts: 7, consecutiveFailures: 7 })
  const deliveryId = newId('delivery', new Date())
  const queued = { eventId: newId('event', new Date()), type: 'chat.message.sent', subscriptionId: failing }
  await db
    .insert(webhookDeliveries)
    .values({ ...queued, id: deliveryId, attempts: 2, dueAt: inMs(600_000), createdAt: ago(0) })
  const attempt = { deliveryId, startedAt: ago(120_000), durationMs: 5 }
  await db.insert(webhookAttempts).values([
    { ...attempt, n: 1, startedAt: ago(240_000), errorClass: 'E_REFUSED' },
    { ...attempt, n: 2, status: 500 },
  ])
  const { subscriptions } = await findAttention(asOwner)
  expect(subscriptions).toMatchObject([
    {
      id: failing,
      application_id,
      warning_days: 1,
      failed_attempts: 7,
      last_answer: { status: 500, error_class: null, at: attempt.startedAt.toISOString(), delivery_id: deliveryId },
    },
  ])
  const [{ next_attempt_at, disables_at } = { next_attempt_at: null, disables_at: null }] = subscriptions
  expect(Math.abs(Date.parse(next_attempt_at ?? '') - Date.now() - 600_000)).toBeLessThan(60_000)
  expect(Date.parse(disables_at ?? '')).toBeGreaterThan(Date.now())
})

test('what fails and has nothing to send has no next attempt; every page tells the same of its health', async () => {
  const { asOwner, subscribe } = await developer()
  const idle = await subscribe({ firstFailureAt: ago(50 * HOUR_MS), openUntil: ago(HOUR_MS), attemptMs: 3_000 })
  const waiting = await subscribe({ firstFailureAt: ago(HOUR_MS), openUntil: new Date(Date.now() + HOUR_MS) })
  await db.insert(webhookDeliveries).values({
    ...{ id: newId('delivery', ago(0)), eventId: newId('event', ago(0)), type: 'chat.message.sent' },
    ...{ subscriptionId: waiting, lane: 1, attempts: 5, dueAt: ago(1_000), createdAt: ago(HOUR_MS) },
  })
  const { subscriptions } = await findAttention(asOwner)
  expect(subscriptions.map(({ id, next_attempt_at: at }) => [id, at && Date.parse(at) > Date.now()])).toEqual([
    [idle, null],
    [waiting, true],
  ])
  const { items } = await listSubscriptionDetails(asOwner, { limit: 10 })
  for (const one of subscriptions) {
    const { warning_days, disables_at, next_attempt_at, failing_since, failed_attempts, attempt_ms, status } = one
    const health = { warning_days, disables_at, next_attempt_at, failing_since, failed_attempts, attempt_ms, status }
    expect(await getSubscription(asOwner, { id: one.id })).toMatchObject(health)
    expect(items.find(({ id }) => id === one.id)).toMatchObject(health)
  }
})

test('a disabled and a slow one are there; one that its owner disabled long ago is not', async () => {
  const { asOwner, subscribe } = await developer()
  const disabled = { status: 'disabled', disabledAt: ago(HOUR_MS) } as const
  const gone = await subscribe({ ...disabled, disabledReason: 'gone' })
  const own = await subscribe({ ...disabled, disabledReason: 'owner' })
  await subscribe({ ...disabled, disabledReason: 'owner', disabledAt: ago(31 * 24 * HOUR_MS) })
  const slow = await subscribe({ attemptMs: 4_000, lastSuccessAt: ago(1_000) })
  const { subscriptions, subscriptions_total } = await findAttention(asOwner)
  expect(subscriptions.map(({ id }) => id).toSorted()).toEqual([gone, own, slow].toSorted())
  expect(subscriptions.at(-1)?.id).toBe(own)
  expect([subscriptions_total, subscriptions.find(({ id }) => id === slow)?.attempt_ms]).toEqual([3, 4_000])
})

test('deliveries that were given up today are counted by subscription, those of before and the delivered are not', async () => {
  const { asOwner, subscribe } = await developer()
  const subscriptionId = await subscribe({ lastSuccessAt: ago(0) })
  const done = (outcome: 'failed' | 'delivered', finishedAt: Date) => ({
    ...{ id: newId('delivery', ago(30 * HOUR_MS)), eventId: newId('event', ago(0)), type: 'chat.message.sent' },
    ...{ subscriptionId, outcome, attempts: 10, createdAt: ago(30 * HOUR_MS), finishedAt },
  })
  const rows = [
    done('failed', ago(HOUR_MS)),
    done('failed', ago(2 * HOUR_MS)),
    done('failed', ago(29 * HOUR_MS)),
    done('delivered', ago(1)),
  ]
  await db.insert(webhookDeliveriesDone).values(rows)
  expect((await findAttention(asOwner)).failed_deliveries).toMatchObject([
    { subscription_id: subscriptionId, count: 2 },
  ])
})

test('keys that end within two weeks, or ended a few days ago, are there; revoked and replaced ones are not', async () => {
  const { asOwner, id: application_id, key } = await developer()
  const make = async (name: string, set: Partial<typeof apiKeys.$inferInsert>) => {
    const made = await createKey(asOwner, { application_id, name })
    await db.update(apiKeys).set(set).where(eq(apiKeys.id, made.id))
  }
  const soon = ago(-13 * 24 * HOUR_MS)
  await make('soon', { expiresAt: soon })
  await make('over', { expiresAt: ago(2 * 24 * HOUR_MS) })
  await make('long over', { expiresAt: ago(9 * 24 * HOUR_MS) })
  await make('later', { expiresAt: ago(-15 * 24 * HOUR_MS) })
  await make('revoked', { expiresAt: soon, revokedAt: ago(0) })
  await make('replaced', { expiresAt: soon, replacedBy: key.id })
  expect((await findAttention(asOwner)).keys.map(({ name }) => name)).toEqual(['over', 'soon'])
})

test('what the API refused in the last hour is counted by application, with the newest of it', async () => {
  const { asOwner, id: application_id, key } = await developer()
  for (const path of ['/v1/channels/nobody', '/v1/chat/messages']) await app.request(`GET ${path}`, { token: key.key })
  app.clock.at = new Date(Date.now() + 5)
  await app.request('GET /v1/livestreams/nothing', { token: key.key })
  await writeRequestLog(app.context)
  const { failures } = await findAttention(asOwner)
  expect(failures).toMatchObject([
    { application_id, count: 3, code: 'livestream_not_found', operation: 'GET /v1/livestreams/{id}' },
  ])
  expect(await findAttention({ ...asOwner, now: () => new Date(Date.now() + 2 * HOUR_MS) })).toMatchObject({
    failures: [],
  })
})

test('of many only the first ten are told, and how many there are', async () => {
  const { asOwner, subscribe } = await developer()
  for (let i = 0; i < 12; i++) await subscribe({ firstFailureAt: ago(i * 1_000) })
  const { subscriptions, subscriptions_total } = await findAttention(asOwner)
  expect([subscriptions.length, subscriptions_total]).toEqual([10, 12])
})
