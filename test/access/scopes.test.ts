import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import * as schema from '../../src/db/schema/index.ts'
import { enableSubscription } from '../../src/domain/webhooks/subscriptions/enable.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const ada = await app.user('ada')
const hook = { url: 'https://example.com/hook', event_types: ['chat.message.sent'] }

test('an application without webhook:write sees no ledger, and with it deletes a user’s subscription but changes none', async () => {
  const client = await app.client()
  const users = await app.token(['webhook:write'], { user: ada, client })
  const made = await app.request('POST /v1/events/subscriptions', { token: users, body: hook })
  const { id } = made.body.data
  const weak = await app.token(['category:read'], { client })
  expect((await app.request('GET /trpc/deliveries.status?input=%7B%7D', { token: weak })).status).toBe(403)
  const strong = await app.token(['webhook:write'], { client })
  const input = encodeURIComponent(JSON.stringify({ id }))
  expect((await app.request(`GET /trpc/webhooks.get?input=${input}`, { token: strong })).status).toBe(200)
  for (const name of ['rotateSecret', 'enable', 'disable', 'update']) {
    expect((await app.request(`POST /trpc/webhooks.${name}`, { token: strong, body: { id } })).status).toBe(403)
  }
  expect((await app.request('POST /trpc/webhooks.delete', { token: strong, body: { id } })).status).toBe(200)
})

test('a registration that is narrowed narrows the tokens that are out', async () => {
  const client = await app.client()
  const token = await app.token(['channel:read'], { client })
  expect((await app.request('GET /v1/channels/', { token })).status).toBe(200)
  await app.context.db
    .update(schema.clients)
    .set({ scopes: ['user:read'] })
    .where(eq(schema.clients.id, client.id))
  expect((await app.request('GET /v1/channels/', { token })).body.error.code).toBe('insufficient_scope')
})

test('a subscription to moderation is enabled again only by a consent to moderation', async () => {
  const client = await app.client()
  const token = await app.token(['webhook:write', 'moderation:read'], { user: ada, client })
  const body = { ...hook, event_types: ['moderation.ban.created'] }
  const { id } = (await app.request('POST /v1/events/subscriptions', { token, body })).body.data
  const { db } = app.context
  await db.update(schema.grants).set({ revokedAt: app.context.now(), revokeReason: 'user' })
  await app.token(['user:read', 'webhook:write'], { user: ada, client })
  const operator = { ...app.context, principal: { kind: 'operator' as const } }
  await expect(enableSubscription(operator, { id })).rejects.toMatchObject({ code: 'forbidden' })
  await app.token(['webhook:write', 'moderation:write'], { user: ada, client })
  expect(await enableSubscription(operator, { id })).toEqual({ missed: 0 })
})
