import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiKeys, clients } from '../../src/db/schema/index.ts'
import { createKey, listKeys, revokeKey } from '../../src/domain/applications/api-keys.ts'
import { updateApplication } from '../../src/domain/applications/applications.ts'
import { rollKey } from '../../src/domain/applications/roll-api-key.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import { createOAuthApp, credentials, errorOf, type OAuthApp, warmUp } from '../support/flows.ts'

let app: OAuthApp
beforeAll(async () => {
  app = await createOAuthApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const operator = () => ({ ...app.context, principal: { kind: 'operator' } as const })
const newKey = async (more: Partial<Parameters<typeof createKey>[1]> = {}) =>
  createKey(operator(), { application_id: app.client.id, name: 'A key', ...more })
const channels = (token: string) => app.request('GET /v1/channels/', { token })
const listed = async (application_id: string) => (await listKeys(operator(), { application_id, limit: 100 })).items

test('K01 a key is a bearer credential of its application, which is no user', async () => {
  const { key } = await newKey()
  expect(key).toMatch(/^lsk_[0-9A-Za-z]{49}$/)
  expect((await channels(key)).status).toBe(200)
  expect(errorOf(await app.request('GET /v1/users/me', { token: key }))).toBe('403 user_token_required')
})

test('K02 a mistyped key is refused without a query', async () => {
  const { key } = await newKey()
  const typo = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
  await using blind = await createOAuthApp()
  const db = new Proxy({} as typeof blind.context.db, {
    get: () => {
      throw new Error('The database was asked')
    },
  })
  blind.context.db = db
  expect(errorOf(await blind.request('GET /v1/channels/', { token: typo }))).toBe('401 invalid_token')
})

test('K03 a key carries chosen scopes, never more than its application, and is no other credential', async () => {
  const narrow = await app.newClient({ scopes: ['channel:read', 'chat:read'] })
  const { key, scopes } = await newKey({ application_id: narrow.id })
  expect(scopes).toEqual(['channel:read', 'chat:read'])
  await expect(newKey({ application_id: narrow.id, scopes: ['user:read'] })).rejects.toMatchObject({
    code: 'invalid_scope',
  })
  const { key: weak } = await newKey({ application_id: narrow.id, scopes: ['chat:read'] })
  expect(errorOf(await channels(weak))).toBe('403 insufficient_scope')

  const fields = await app.newCode()
  expect(errorOf(await app.token({ ...fields, code: key }))).toBe('400 invalid_grant')
  expect(errorOf(await app.refresh(key))).toBe('400 invalid_grant')
  expect(errorOf(await app.token({ ...fields, ...credentials(app.client), client_secret: key }))).toBe(
    '401 invalid_client',
  )
})

test('K03 a narrowed registration narrows its keys', async () => {
  const client = await app.newClient({ scopes: ['channel:read', 'chat:read'] })
  const { key } = await newKey({ application_id: client.id })
  expect((await channels(key)).status).toBe(200)
  await updateApplication(operator(), { id: client.id, grant_types: ['client_credentials'], scopes: ['chat:read'] })
  expect(errorOf(await channels(key))).toBe('403 insufficient_scope')
})

test('K04 an expired and a revoked key, and one of a disabled client', async () => {
  const [one, other, third] = [await newKey({ expires_in_days: 1 }), await newKey(), await newKey()]
  await app.context.db
    .update(apiKeys)
    .set({ expiresAt: inMs(-1) })
    .where(eq(apiKeys.id, one.id))
  await revokeKey(operator(), { id: other.id })
  for (const { key } of [one, other]) expect(errorOf(await channels(key))).toBe('401 invalid_token')
  await expect(revokeKey(operator(), { id: other.id })).rejects.toMatchObject({ code: 'not_found' })

  await app.context.db
    .update(clients)
    .set({ disabledAt: inMs(0) })
    .where(eq(clients.id, app.client.id))
  expect(errorOf(await channels(third.key))).toBe('401 invalid_token')
  await app.context.db.update(clients).set({ disabledAt: null }).where(eq(clients.id, app.client.id))
  expect((await channels(third.key)).status).toBe(200)
})

test('K05 a key is shown once; lists have what tells it apart', async () => {
  const client = await app.newClient()
  const { key, ...shown } = await newKey({ application_id: client.id, name: 'Production' })
  const items = await listed(client.id)
  expect(items).toEqual([shown])
  expect(shown).toMatchObject({
    name: 'Production',
    first8: key.slice(0, 8),
    last4: key.slice(-4),
    created_by: null,
    revoked_at: null,
  })
  expect(JSON.stringify(items)).not.toContain(key)
})

test('a key lives a year unless told otherwise', async () => {
  const { id } = await newKey()
  const [row] = await app.context.db.select({ expiresAt: apiKeys.expiresAt }).from(apiKeys).where(eq(apiKeys.id, id))
  const days = ((row?.expiresAt?.getTime() ?? 0) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(364.9)
  expect(days).toBeLessThan(365.1)
  for (const expires_in_days of [0, -1, 1.5, 3651]) {
    await expect(newKey({ expires_in_days })).rejects.toMatchObject({ code: 'invalid_request' })
  }
})

test('a roll makes a new key and lets the old one live a day', async () => {
  const client = await app.newClient()
  const old = await newKey({ application_id: client.id, scopes: ['channel:read'] })
  const next = await rollKey(operator(), { id: old.id })
  expect(next).toMatchObject({ name: 'A key', scopes: ['channel:read'] })
  for (const { key } of [old, next]) expect((await channels(key)).status).toBe(200)
  expect((await listed(client.id)).find(({ id }) => id === old.id)?.replaced_by).toBe(next.id)
  await expect(rollKey(operator(), { id: old.id })).rejects.toMatchObject({ code: 'invalid_request' })

  await app.elapse(apiKeys, 'expiresAt', 24 * 3_600_000)
  expect(errorOf(await channels(old.key))).toBe('401 invalid_token')
  expect((await channels(next.key)).status).toBe(200)
})

test('an application has at most ten living keys, also when they are made at once', async () => {
  await warmUp(app.context)
  const client = await app.newClient()
  const tries = await Promise.allSettled(Array.from({ length: 14 }, () => newKey({ application_id: client.id })))
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  expect(tries.find((one) => one.status === 'rejected')).toMatchObject({ reason: { code: 'limit_reached' } })
  const [first] = await listed(client.id)
  const rolled = await rollKey(operator(), { id: first?.id ?? '' })
  await expect(newKey({ application_id: client.id })).rejects.toMatchObject({ code: 'limit_reached' })
  await revokeKey(operator(), { id: rolled.id })
  await newKey({ application_id: client.id })
})

test('the last use of a key is noted, at most once a minute', async () => {
  const { id, key } = await newKey()
  const lastUse = async () => {
    const [row] = await app.context.db.select({ at: apiKeys.lastUsedAt }).from(apiKeys).where(eq(apiKeys.id, id))
    return row?.at?.getTime()
  }
  expect(await lastUse()).toBeUndefined()
  await Promise.all(Array.from({ length: 5 }, () => channels(key)))
  const first = await lastUse()
  expect(first).toBeGreaterThan(0)
  await channels(key)
  expect(await lastUse()).toBe(first)
  await app.elapse(apiKeys, 'lastUsedAt', 61_000)
  await channels(key)
  expect(await lastUse()).toBeGreaterThanOrEqual(first ?? 0)
})
