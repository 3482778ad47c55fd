import { setTimeout as after } from 'node:timers/promises'
import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePartitions } from '../../src/db/partitions.ts'
import {
  applicationMembers,
  clients,
  mails,
  requestLog,
  webhookAttempts,
  webhookDeliveriesDone,
  webhookSubscriptions,
} from '../../src/db/schema/index.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { invitePerson, offerTransfer } from '../../src/domain/applications/people/invite.ts'
import { searchOwn } from '../../src/domain/applications/search/search.ts'
import { disableApplication } from '../../src/domain/applications/suspension.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { apiScopes } from '../../src/domain/core/scopes.ts'
import { explainRequest } from '../../src/domain/requests/explain.ts'
import { getDelivery } from '../../src/domain/webhooks/deliveries/ledger.ts'
import { createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import { getSubscription } from '../../src/domain/webhooks/subscriptions/get.ts'
import { listSubscriptionDetails } from '../../src/domain/webhooks/subscriptions/list.ts'
import { rotateSigningSecret } from '../../src/domain/webhooks/subscriptions/rotate.ts'
import { updateSubscription } from '../../src/domain/webhooks/subscriptions/update.ts'
import { createFactorsApp, type FactorsApp } from '../factors/people.ts'
import { isAnyoneWaiting } from '../support/waiting.ts'
import { type Acting, confirmedPerson, reading } from './invited.ts'

let app: FactorsApp
beforeAll(async () => {
  app = await createFactorsApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const developing = (who: Acting) => ({ ...who, role: 'developer' }) as const
const URL_WITH_SECRET = 'https://93.184.216.34/hook?token=s3cret'
async function shared() {
  const [owner, developer, viewer] = [
    await confirmedPerson(app),
    await confirmedPerson(app),
    await confirmedPerson(app),
  ]
  const { id } = await createApplication(owner, { name: 'Shared', confidential: true, scopes: [...apiScopes] })
  for (const [{ principal }, role] of [
    [developer, 'developer'],
    [viewer, 'viewer'],
  ] as const)
    await app.context.db
      .insert(applicationMembers)
      .values({ clientId: id, userId: principal.userId, role, joinedAt: app.clock.at })
  return { id, owner, developer, viewer }
}
const hook = (id: string) => ({ application_id: id, url: URL_WITH_SECRET, event_types: ['chat.message.sent'] })

test('a viewer sees where webhooks go without what may be a secret there, and finds it by no search; developers see all', async () => {
  const { id, developer, viewer, owner } = await shared()
  const made = await createSubscriptionForApplication(developing(developer), hook(id))
  const seenBy = async (who: Acting) => {
    const [first] = (await listSubscriptionDetails(reading(who), { application_id: id, limit: 5 })).items
    return [first?.url, (await getSubscription(reading(who), { id: made.id })).url]
  }
  expect(await seenBy(viewer)).toEqual(Array(2).fill('https://93.184.216.34/hook'))
  for (const who of [developer, owner]) expect(await seenBy(who)).toEqual([URL_WITH_SECRET, URL_WITH_SECRET])
  expect(await searchOwn(reading(viewer), { text: 's3cret' })).toEqual([])
  const found = [
    ...(await searchOwn(reading(viewer), { text: '/hook' })),
    ...(await searchOwn(reading(viewer), { text: made.id })),
  ]
  expect(found.map(({ title }) => title)).toEqual(Array(2).fill('https://93.184.216.34/hook'))
})

test('a viewer who has a request explained is told its key by the identifier alone', async () => {
  const { id, owner, developer, viewer } = await shared()
  const key = await createKey(owner, { application_id: id, name: 'Production', scopes: ['channel:read'] })
  await makePartitions(app.context.db, app.clock.at)
  const row = { id: newId('request', app.clock.at), clientId: id, requestId: 'asked-by-key', credentialId: key.id }
  await app.context.db.insert(requestLog).values({ ...row, operation: 'GET /v1/channels/', status: 404, durationMs: 1 })
  const explainedTo = async (who: Acting) => (await explainRequest(reading(who), { request_id: 'asked-by-key' }))[0]
  expect(await explainedTo(viewer)).toMatchObject({ credential_id: key.id, key: null })
  for (const who of [developer, owner])
    expect(await explainedTo(who)).toMatchObject({ key: { name: 'Production', last4: key.last4 } })
})

test('an application that the operator has stopped asks nobody to itself, and sends no mail', async () => {
  const { id, owner, developer } = await shared()
  await disableApplication(app.context, id)
  const before = await app.context.db.$count(mails)
  const stopped = { code: 'forbidden', message: expect.stringContaining('stopped') }
  const invite = { application_id: id, email: 'stranger@example.org', role: 'viewer' } as const
  await expect(invitePerson(owner, invite)).rejects.toMatchObject(stopped)
  const offer = { application_id: id, user_id: developer.principal.userId }
  await expect(offerTransfer(owner, offer)).rejects.toMatchObject(stopped)
  expect(await app.context.db.$count(mails)).toBe(before)
})

test('a viewer reads what was sent and what came back without the query, also where the receiver repeats it', async () => {
  const { id, developer, viewer } = await shared()
  const { id: subscriptionId } = await createSubscriptionForApplication(developing(developer), hook(id))
  const { db } = app.context
  const at = app.clock.at
  await makePartitions(db, at)
  const of = { subscriptionId, type: 'chat.message.sent', outcome: 'failed', attempts: 1 } as const
  const delivery = { id: newId('delivery', at), eventId: newId('event', at), ...of, createdAt: at, finishedAt: at }
  await db.insert(webhookDeliveriesDone).values(delivery)
  const texts = {
    request: `POST ${URL_WITH_SECRET}\nhost: 93.184.216.34`,
    detail: `This one leads to ${URL_WITH_SECRET}`,
    responseHeaders: `location: ${URL_WITH_SECRET}`,
    response: `Gone to ${URL_WITH_SECRET}`,
  }
  const attempt = { deliveryId: delivery.id, n: 1, startedAt: at, durationMs: 1, status: 301, ...texts }
  await db.insert(webhookAttempts).values(attempt)
  const seenBy = async (who: Acting) =>
    JSON.stringify((await getDelivery(reading(who), { id: delivery.id })).attempts_made)
  expect((await seenBy(developer)).split('?token=s3cret')).toHaveLength(5)
  expect((await seenBy(viewer)).split('hook?…')).toHaveLength(5)
  expect(await seenBy(viewer)).not.toContain('s3cret')
})

test('who is taken out while they make or change a webhook has changed nothing', async () => {
  const { id, developer, owner } = await shared()
  const { userId } = developer.principal
  const isTheirs = and(eq(applicationMembers.clientId, id), eq(applicationMembers.userId, userId))
  const made = await createSubscriptionForApplication(developing(owner), hook(id))
  const changes = [
    () => createSubscriptionForApplication(developing(developer), hook(id)),
    () => updateSubscription(developing(developer), { id: made.id, url: 'https://93.184.216.34/theirs' }),
    () => rotateSigningSecret(developing(developer), { id: made.id }),
  ]
  for (const change of changes) {
    const { outcome } = await app.context.db.transaction(async (tx) => {
      await tx.select({ id: clients.id }).from(clients).where(eq(clients.id, id)).for('no key update')
      await tx.delete(applicationMembers).where(isTheirs)
      let isOver = false
      const outcome = change().then(
        () => 'done',
        ({ code }) => code,
      )
      void outcome.then(() => {
        isOver = true
      })
      while (!isOver && !(await isAnyoneWaiting(app.context))) await after(5)
      return { outcome }
    })
    expect(await outcome).toBe('not_found')
    await app.context.db
      .insert(applicationMembers)
      .values({ clientId: id, userId, role: 'developer', joinedAt: app.clock.at })
  }
  expect(await app.context.db.$count(webhookSubscriptions, eq(webhookSubscriptions.clientId, id))).toBe(1)
})
