import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestClient } from '../support/context.ts'
import { createOAuthApp, errorOf, type OAuthApp } from '../support/flows.ts'

let app: OAuthApp
let narrow: TestClient
beforeAll(async () => {
  app = await createOAuthApp()
  narrow = await app.newClient({ scopes: ['channel:read', 'chat:read'] })
})
afterAll(() => app[Symbol.asyncDispose]())

test('S01 an unknown scope is refused', async () => {
  expect(errorOf(await app.forApplication(app.client, { scope: 'chat:read no:such' }))).toBe('400 invalid_scope')
  expect(errorOf(await app.forApplication(app.client, { scope: 'constructor' }))).toBe('400 invalid_scope')
})

test('S02 a scope outside of the registration is refused (CVE-2026-46549)', async () => {
  expect(errorOf(await app.forApplication(narrow, { scope: 'chat:read chat:write' }))).toBe('400 invalid_scope')
})

test.each([
  'chat:read\tuser:read',
  'chat:read  user:read',
  ' chat:read',
  'chat:read ',
  '"chat:read"',
  'chat:read,user:read',
  'chät:read',
  'CHAT:READ',
])('S03 %j is malformed', async (scope) => {
  expect(errorOf(await app.forApplication(app.client, { scope }))).toBe('400 invalid_scope')
})

test('S04 without a scope: all of the registration, returned explicitly', async () => {
  expect((await app.forApplication(narrow)).body.scope).toBe('channel:read chat:read')
  expect((await app.forApplication(narrow, { scope: '' })).body.scope).toBe('channel:read chat:read')
})

test('S05 one that comes twice counts once', async () => {
  expect((await app.forApplication(narrow, { scope: 'chat:read chat:read' })).body.scope).toBe('chat:read')
})

test('what was granted is what the token can do, no more (B04)', async () => {
  const { body } = await app.forApplication(narrow, { scope: 'chat:read' })
  const refused = await app.request('GET /v1/channels/', { token: body.access_token })
  expect(errorOf(refused)).toBe('403 insufficient_scope')
  expect(refused.headers.get('www-authenticate')).toMatch(/error="insufficient_scope", scope="channel:read"/)
  expect((await app.request('GET /v1/chat/messages?room_name=ada', { token: body.access_token })).status).toBe(200)
})
