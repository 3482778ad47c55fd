import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditLog, events, webhookSubscriptions } from '../../src/db/schema/index.ts'
import { disableUser, enableUser } from '../../src/domain/accounts/suspension.ts'
import { getApplication } from '../../src/domain/applications/list.ts'
import { disableApplication, enableApplication } from '../../src/domain/applications/suspension.ts'
import { type Scope, scopes } from '../../src/domain/core/scopes.ts'
import { startLivestream } from '../../src/domain/livestreams.ts'
import { createSubscription } from '../../src/domain/webhooks/subscriptions/create.ts'
import { createTestApp } from '../support/app.ts'

let app: Awaited<ReturnType<typeof createTestApp>>
beforeAll(async () => {
  app = await createTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const READ: Scope[] = ['channel:read', 'livestream:read']
const statusOf = async (path: string, token: string) => (await app.request(`GET ${path}`, { token })).status
const actionsAbout = async (id: string) =>
  (await app.context.db.select().from(auditLog).where(eq(auditLog.targetId, id)).orderBy(auditLog.id)).map(
    ({ action, actorType }) => `${action} by ${actorType}`,
  )

test('a closed account: no channel, no stream, no credential, no webhook; opened again all but the webhook is back', async () => {
  const ada = await app.user('ada')
  const { id: clientId } = await app.client()
  const token = await app.token(READ, { user: ada })
  const application = await app.token(READ)
  const principal = { kind: 'user', userId: ada.id, username: 'ada', clientId, scopes } as const
  await startLivestream({ ...app.context, principal }, { title: 'Live' })
  const input = { url: 'http://127.0.0.1:9/hook', event_types: ['livestream.ended' as const] }
  const { id } = await createSubscription({ ...app.context, principal }, input)

  await disableUser(app.context, 'Ada')
  expect(await statusOf('/v1/channels/ada', token)).toBe(401)
  expect(await statusOf('/v1/channels/ada', application)).toBe(404)
  expect((await app.request('GET /v1/livestreams/', { token: application })).body.data).toEqual([])
  const told = await app.context.db.select({ type: events.type }).from(events).where(eq(events.channelId, ada.id))
  expect(told.map(({ type }) => type)).toContain('livestream.ended')
  const [subscription] = await app.context.db.select().from(webhookSubscriptions).where(eq(webhookSubscriptions.id, id))
  expect(subscription).toMatchObject({ status: 'disabled', disabledReason: 'grant_lost' })
  await expect(disableUser(app.context, 'ada')).rejects.toMatchObject({ code: 'user_not_found' })

  await enableUser(app.context, 'ada')
  expect(await statusOf('/v1/channels/ada', token)).toBe(200)
  const [after] = await app.context.db.select().from(webhookSubscriptions).where(eq(webhookSubscriptions.id, id))
  expect(after).toMatchObject({ status: 'disabled' })
  await expect(enableUser(app.context, 'ada')).rejects.toMatchObject({ code: 'user_not_found' })
  expect(await actionsAbout(ada.id)).toEqual(['user.disabled by operator', 'user.enabled by operator'])
})

test('a stopped application: every token of it and its secret are refused, nobody else’s; let in again they work', async () => {
  const user = await app.user('bob')
  const client = await app.client()
  const tokens = [await app.token(READ, { client }), await app.token(READ, { client, user })]
  const other = await app.token(READ)
  const ask = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret }
  const exchange = async () => (await app.request('POST /oauth/token', { body: ask })).status
  const statuses = () => Promise.all([...tokens.map((token) => statusOf('/v1/channels/', token)), exchange()])
  expect(await statuses()).toEqual([200, 200, 200])
  const operator = { ...app.context, principal: { kind: 'operator' } } as const
  const shown = async () => (await getApplication(operator, { id: client.id })).disabled_at
  expect(await shown()).toBeNull()

  await disableApplication(app.context, client.id)
  expect(await shown()).toMatch(/^\d{4}-/)
  expect(await statuses()).toEqual([401, 401, 401])
  expect(await statusOf('/v1/channels/', other)).toBe(200)
  await expect(disableApplication(app.context, client.id)).rejects.toMatchObject({ code: 'not_found' })

  await enableApplication(app.context, client.id)
  expect(await statuses()).toEqual([200, 200, 200])
  await expect(enableApplication(app.context, client.id)).rejects.toMatchObject({ code: 'not_found' })
  expect(await actionsAbout(client.id)).toEqual(['application.disabled by operator', 'application.enabled by operator'])
})
