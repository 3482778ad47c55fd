import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditLog, grants, webhookSubscriptions } from '../../src/db/schema/index.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { newId } from '../../src/domain/core/ids.ts'
import type { TestClient } from '../support/context.ts'
import { basic, createOAuthApp, credentials, errorOf, type OAuthApp, warmUp } from '../support/flows.ts'

let app: OAuthApp
beforeAll(async () => {
  app = await createOAuthApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const revoke = (token: string, client: TestClient = app.client) => app.revoke({ token, ...credentials(client) })

test('V01 an access token dies alone; the answer is {} as JSON', async () => {
  const granted = await app.newGrant()
  const reply = await revoke(granted.access_token)
  expect([reply.status, reply.text, reply.headers.get('cache-control')]).toEqual([200, '{}', 'no-store'])
  expect(reply.headers.get('content-type')).toMatch(/^application\/json/)
  expect(await app.statusOf(granted.access_token)).toBe(401)
  expect((await app.refresh(granted.refresh_token)).status).toBe(200)
})

test('V02 a refresh token takes every token of its grant with it (CVE-2018-1000211)', async () => {
  const granted = await app.newGrant()
  const next = (await app.refresh(granted.refresh_token)).body
  expect((await revoke(next.refresh_token)).status).toBe(200)
  for (const { access_token } of [granted, next]) expect(await app.statusOf(access_token)).toBe(401)
  for (const { refresh_token } of [granted, next]) {
    expect(errorOf(await app.refresh(refresh_token))).toBe('400 invalid_grant')
  }
})

test('V03 a refresh token that was rotated out still revokes its grant', async () => {
  const granted = await app.newGrant()
  const next = (await app.refresh(granted.refresh_token)).body
  await revoke(granted.refresh_token)
  expect(await app.statusOf(next.access_token)).toBe(401)
  expect(errorOf(await app.refresh(next.refresh_token))).toBe('400 invalid_grant')
})

test('V04 V12 unknown, garbage, again, ten at once: 200 and nothing else', async () => {
  const { refresh_token, access_token } = await app.newGrant()
  const dead = [refresh_token, refresh_token, access_token, 'x', mint('access'), mint('refresh'), 'é'.repeat(99)]
  for (const token of dead) expect((await revoke(token)).text).toBe('{}')
  const other = await app.newGrant()
  const replies = await Promise.all(Array.from({ length: 10 }, () => revoke(other.refresh_token)))
  expect(new Set(replies.map(({ status, text }) => `${status} ${text}`))).toEqual(new Set(['200 {}']))
})

test('V05 another client’s token: the same answer, and it lives (CVE-2026-115472)', async () => {
  const granted = await app.newGrant()
  for (const token of [granted.access_token, granted.refresh_token]) {
    const reply = await revoke(token, app.other)
    expect([reply.status, reply.text]).toEqual([200, '{}'])
  }
  expect(await app.statusOf(granted.access_token)).toBe(200)
  expect((await app.refresh(granted.refresh_token)).status).toBe(200)
})

test('V06 no client, a wrong one (CVE-2016-6582)', async () => {
  const { access_token } = await app.newGrant()
  const wrong = [{}, { client_id: app.client.id }, { client_id: app.client.id, client_secret: 'wrong' }]
  for (const fields of wrong) {
    expect(errorOf(await app.revoke({ token: access_token, ...fields }))).toBe('401 invalid_client')
  }
  expect(await app.statusOf(access_token)).toBe(200)
})

test('V07 a public client revokes by its identifier alone (CVE-2026-68481)', async () => {
  const granted = await app.newGrant(app.native)
  expect((await app.revoke({ token: granted.access_token, client_id: app.native.id })).status).toBe(200)
  expect(await app.statusOf(granted.access_token)).toBe(401)
})

test('V08 token missing or empty', async () => {
  for (const fields of [{}, { token: '' }]) {
    const reply = await app.revoke({ ...fields, ...credentials(app.client) })
    expect(errorOf(reply)).toBe('400 invalid_request')
    expect(reply.body.error.message).toContain('token')
  }
})

test('V09 token_type_hint is ignored', async () => {
  const granted = await app.newGrant()
  for (const [token, hint] of [
    [granted.access_token, 'refresh_token'],
    [granted.refresh_token, 'access_token'],
  ] as const) {
    const reply = await app.revoke({ token, token_type_hint: hint, ...credentials(app.client) })
    expect(reply.status).toBe(200)
  }
  expect(await app.statusOf(granted.access_token)).toBe(401)
  expect(errorOf(await app.refresh(granted.refresh_token))).toBe('400 invalid_grant')
})

test('V10 Basic, three encodings, a duplicate refused, no-store', async () => {
  const fields = { token: 'x', ...credentials(app.client) }
  const multipart = new FormData()
  for (const [name, value] of Object.entries(fields)) multipart.append(name, value)
  const authorization = basic(app.client.id, app.client.secret)
  const replies = [
    await app.request('POST /oauth/revoke', { body: fields }),
    await app.request('POST /oauth/revoke/', { body: multipart }),
    await app.revoke({ token: 'x' }, { authorization }),
  ]
  for (const { status, headers } of replies) expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(errorOf(await app.revoke('token=x&token=y', { authorization }))).toBe('400 invalid_request')
})

test('V13 a key is not revoked here', async () => {
  const operator = { ...app.context, principal: { kind: 'operator' } as const }
  const { key } = await createKey(operator, { application_id: app.client.id, name: 'A key' })
  expect((await revoke(key)).text).toBe('{}')
  expect((await app.request('GET /v1/channels/', { token: key })).status).toBe(200)
})

test('the last grant of a user and an application takes the subscriptions along, in the same moment', async () => {
  const bob = await app.user('bob')
  const [one, other] = [
    await app.newGrant(app.client, ['webhook:write'], bob),
    await app.newGrant(app.client, ['webhook:write'], bob),
  ]
  const id = newId('subscription', app.context.now())
  const at = app.context.now()
  await app.context.db.insert(webhookSubscriptions).values({
    id,
    clientId: app.client.id,
    userId: bob.id,
    url: 'https://example.com/hook',
    eventTypes: ['chat.message.sent'],
    createdAt: at,
    updatedAt: at,
  })
  const statusOf = async () => {
    const [found] = await app.context.db.select().from(webhookSubscriptions).where(eq(webhookSubscriptions.id, id))
    return `${found?.status} ${found?.disabledReason}`
  }
  await revoke(one.refresh_token)
  expect(await statusOf()).toBe('enabled null')
  await revoke(other.refresh_token)
  expect(await statusOf()).toBe('disabled grant_lost')
})

test('two revocations at once leave no subscription behind', async () => {
  await warmUp(app.context)
  const eve = await app.user('eve')
  for (let round = 0; round < 5; round++) {
    const both = [
      await app.newGrant(app.client, ['webhook:write'], eve),
      await app.newGrant(app.client, ['webhook:write'], eve),
    ]
    const at = app.context.now()
    const id = newId('subscription', at)
    const common = {
      clientId: app.client.id,
      userId: eve.id,
      eventTypes: ['chat.message.sent'],
      createdAt: at,
      updatedAt: at,
    }
    await app.context.db.insert(webhookSubscriptions).values({ id, url: 'https://example.com/', ...common })
    await Promise.all(both.map(({ refresh_token }) => revoke(refresh_token)))
    const [found] = await app.context.db.select().from(webhookSubscriptions).where(eq(webhookSubscriptions.id, id))
    expect(found?.status).toBe('disabled')
  }
})

test('a revocation is audited once, without a secret', async () => {
  const { refresh_token } = await app.newGrant()
  await revoke(refresh_token)
  await revoke(refresh_token)
  const [grant] = (await app.context.db.select().from(grants).orderBy(grants.id)).slice(-1)
  const entries = await app.context.db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.targetId, grant?.id ?? ''), eq(auditLog.action, 'grant.revoked')))
  expect(entries).toHaveLength(1)
  expect(entries[0]).toMatchObject({ actorType: 'client', actorId: app.client.id, userId: app.ada.id, ip: '127.0.0.1' })
  expect(JSON.stringify(entries)).not.toMatch(/ls(rt|at|cs)_/)
})
