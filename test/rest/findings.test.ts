import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import * as schema from '../../src/db/schema/index.ts'
import { logIn } from '../../src/domain/accounts/login.ts'
import { inspectOwnCredential } from '../../src/domain/oauth/inspect.ts'
import { enableWebhook } from '../../src/domain/webhooks/subscriptions/enable.ts'
import { withoutSecrets } from '../../src/telemetry/redaction.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const ada = await app.user('ada')

test('a line of the log is cleaned in a time that grows with its length, whatever a stranger wrote into it', () => {
  const begun = performance.now()
  expect(withoutSecrets('a.'.repeat(100_000))).toHaveLength(200_000)
  expect(withoutSecrets('postgres://user:hidden@host/')).not.toContain('hidden')
  expect(performance.now() - begun).toBeLessThan(2_000) // it was a minute
})

test('what a browser may be led to open runs nothing and is shown in no frame', async () => {
  for (const path of ['/', '/health/', '/nothing', '/docs/nothing']) {
    const { headers } = await app.request(`GET ${path}`)
    expect([path, headers.get('content-security-policy')]).toEqual([
      path,
      expect.stringContaining("default-src 'none'"),
    ])
    expect([path, headers.get('x-frame-options')]).toEqual([path, 'DENY'])
  }
})

describe('a credential does what its scopes say, at every door', () => {
  const hook = { url: 'https://example.com/hook', event_types: ['chat.message.sent'] }

  test('an application without webhook:write sees no ledger, and none changes a user’s subscription', async () => {
    const client = await app.client()
    const users = await app.token(['webhook:write'], { user: ada, client })
    const made = await app.request('POST /v1/events/subscriptions', { token: users, body: hook })
    const { id } = made.body.data
    const weak = await app.token(['category:read'], { client })
    expect((await app.request('GET /trpc/deliveries.status?input=%7B%7D', { token: weak })).status).toBe(403)
    const strong = await app.token(['webhook:write'], { client })
    const input = encodeURIComponent(JSON.stringify({ id }))
    expect((await app.request(`GET /trpc/webhooks.get?input=${input}`, { token: strong })).status).toBe(404)
    for (const name of ['rotateSecret', 'enable', 'disable', 'delete']) {
      expect((await app.request(`POST /trpc/webhooks.${name}`, { token: strong, body: { id } })).status).toBe(403)
    }
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

  test('a stored answer is for whom may still do what was done', async () => {
    const client = await app.client()
    const body = { ...hook, event_types: ['moderation.ban.created'] }
    const send = async (scopes: Parameters<typeof app.token>[0]) =>
      app.request('POST /v1/events/subscriptions', {
        token: await app.token(scopes, { user: ada, client }),
        body,
        headers: { 'idempotency-key': 'same' },
      })
    expect((await send(['webhook:write', 'moderation:read'])).status).toBe(201)
    expect((await send(['webhook:write'])).body.error.code).toBe('idempotency_mismatch')
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
    await expect(enableWebhook(operator, { id })).rejects.toMatchObject({ code: 'forbidden' })
    await app.token(['webhook:write', 'moderation:write'], { user: ada, client })
    expect(await enableWebhook(operator, { id })).toEqual({ missed: 0 })
  })

  test('nobody learns anything of a credential that is not theirs', async () => {
    const bell = await app.user('bell')
    const token = await app.token(['user:read'], { user: ada })
    const asked = (user: { id: string; username: string }) => {
      const principal = { kind: 'user', userId: user.id, username: user.username, clientId: null, scopes: [] } as const
      return inspectOwnCredential({ ...app.context, principal }, token)
    }
    expect(await asked(ada)).toMatchObject({ kind: 'access_token', active: true, username: 'ada' })
    expect(await asked(bell)).toMatchObject({ kind: 'unknown', active: false, username: null })
  })
})

test('an address that is refused counts nothing more: made-up names cannot fill the memory of the counters', async () => {
  const names: string[] = []
  const { counters } = app.context
  const watched: typeof counters = {
    ...counters,
    take: (limit, key) => {
      if (limit.name === 'login-account') names.push(key)
      return limit.name === 'login-address' && names.length >= 2
        ? Promise.resolve({ limit: 1, remaining: 0, resetS: 1, exceeded: true })
        : counters.take(limit, key)
    },
  }
  const caller = { authorization: undefined, session: undefined, address: '192.0.2.1', isForwarded: false }
  const ctx = { ...app.context, counters: watched, caller: { ...caller, requestId: 'r', userAgent: undefined } }
  for (const username of ['one', 'two', 'three', 'four']) {
    await expect(logIn(ctx, { username, password: 'wrong password' })).rejects.toBeDefined()
  }
  expect(names).toHaveLength(2)
})

describe('what is refused at the door', () => {
  test('NUL in any name or value, also of fields that nobody reads', async () => {
    const token = await app.token(['chat:write', 'channel:read'], { user: ada })
    expect((await app.request('GET /v1/channels/?x=%00', { token })).status).toBe(400)
    const body = '{"room_name":"ada","content":"x","x\\u0000":["\\u0000"]}'
    const json = { 'content-type': 'application/json' }
    const init = { token, headers: json, body }
    expect((await app.request('POST /v1/chat/messages', init)).body.error.message).toMatch(/^x: must not contain NUL/)
    const form = new URLSearchParams([
      ['room_name', 'ada'],
      ['content', 'x'],
      ['y', '\0'],
    ])
    expect((await app.request('POST /v1/chat/messages', { token, body: form })).status).toBe(400)
    const text = { ...init, body: '{"room_name":"ada","content":"\\\\u0000 is a backslash and five characters"}' }
    expect((await app.request('POST /v1/chat/messages', text)).status).toBe(201)
  })

  test('a clock that came through any proxy, or from another website', async () => {
    for (const name of ['via', 'x-forwarded-host', 'x-forwarded-proto', 'cf-connecting-ip']) {
      const { status } = await app.request('POST /cron/webhook-deliveries', { headers: { [name]: 'x' } })
      expect(status, name).toBe(401)
    }
    const foreign = await app.request('POST /cron/webhook-deliveries', { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(foreign.status).toBe(401)
  })

  test('/trpc says in headers what REST says, and logs no refusal', async () => {
    app.lines.length = 0
    const { headers, status } = await app.request('GET /trpc/channels.list?input=%7B%7D')
    expect([status, headers.get('cache-control')]).toEqual([401, 'no-store'])
    expect(headers.get('www-authenticate')).toContain('resource_metadata=')
    expect(app.lines.filter((line) => JSON.parse(line).level >= 50)).toEqual([])
  })
})
