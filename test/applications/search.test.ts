import { afterAll, describe, expect, test } from 'vitest'
import { makePartitions } from '../../src/db/partitions.ts'
import { webhookDeliveries, webhookDeliveriesDone } from '../../src/db/schema/index.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { searchOwn } from '../../src/domain/applications/search/search.ts'
import { sendMessage } from '../../src/domain/chat.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { writeRequestLog } from '../../src/domain/requests/write.ts'
import { createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { db } = app.context
await makePartitions(db, app.clock.at)

async function developer(username: string) {
  const person = await app.user(username)
  const principal = { kind: 'user', userId: person.id, username, clientId: null, scopes: [] } as const
  const ctx = { ...app.context, principal }
  const application = await createApplication(ctx, { name: `The bot of ${username}`, confidential: true })
  const key = await createKey(ctx, { application_id: application.id, name: 'CI' })
  const subscription = await createSubscriptionForApplication(ctx, {
    application_id: application.id,
    url: `http://127.0.0.1:9/hooks/of-${username}`,
    event_types: ['chat.message.sent'],
    description: null,
  })
  const find = async (text: string) => (await searchOwn(ctx, { text })).map(({ kind, id }) => `${kind} ${id}`)
  return { ctx, application, key, subscription, find }
}

const ada = await developer('ada')
const eve = await developer('eve')

async function delivered(subscriptionId: string) {
  const [eventId, queuedId, doneId] = [
    newId('event', app.clock.at),
    newId('delivery', app.clock.at),
    newId('delivery', app.clock.at),
  ]
  const facts = { type: 'chat.message.sent', subscriptionId, createdAt: app.clock.at }
  await db.insert(webhookDeliveries).values({ ...facts, id: queuedId, eventId, dueAt: app.clock.at })
  const done = { ...facts, outcome: 'delivered', attempts: 1, finishedAt: app.clock.at } as const
  const otherEvent = newId('event', app.clock.at)
  await db.insert(webhookDeliveriesDone).values({ ...done, id: doneId, eventId: otherEvent })
  return { eventId, otherEvent, queuedId, doneId }
}

describe('what is one’s own is found by its identifier, and by nobody else', async () => {
  const { eventId, otherEvent, queuedId, doneId } = await delivered(ada.subscription.id)
  const message = await sendMessage(ada.ctx, { room_name: 'ada', content: 'Hello' })
  const answer = await app.request('GET /v1/channels/nobody', { token: ada.key.key })
  const requestId = answer.headers.get('x-request-id') ?? ''
  await writeRequestLog(app.context)
  const cases: [kind: string, text: string, found: string][] = [
    ['an application', ada.application.id, `application ${ada.application.id}`],
    ['a subscription', ada.subscription.id, `subscription ${ada.subscription.id}`],
    ['a key', ada.key.id, `key ${ada.key.id}`],
    ['a delivery that waits', queuedId, `delivery ${queuedId}`],
    ['a delivery that is done', doneId, `delivery ${doneId}`],
    ['an event, by its delivery that waits', eventId, `delivery ${queuedId}`],
    ['an event, by its delivery that is done', otherEvent, `delivery ${doneId}`],
    ['a message in the own room', message.id, `message ${message.id}`],
    ['a request', requestId, `request ${requestId}`],
  ]
  test.each(cases)('%s', async (_, text, found) => {
    expect(await ada.find(text)).toEqual([found])
    expect(await eve.find(text)).toEqual([])
  })
})

test('applications are found by a part of their name, subscriptions by a part of their URL, in any case', async () => {
  expect(await ada.find('BOT OF')).toEqual([`application ${ada.application.id}`])
  expect(await ada.find('of-')).toEqual([`subscription ${ada.subscription.id}`])
  expect(await ada.find('of-eve')).toEqual([])
})

test('what means something in SQL or in a pattern is only text', async () => {
  for (const text of ['%', '_', "'; drop table clients; --", '\\']) expect(await ada.find(text)).toEqual([])
})
