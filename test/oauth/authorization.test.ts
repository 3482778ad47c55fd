import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientRedirectUris, clients } from '../../src/db/schema/index.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import type { TestClient } from '../support/context.ts'
import { CALLBACK, errorOf, NATIVE_CALLBACK, pkce } from '../support/flows.ts'
import { createPeopleApp, type PeopleApp, parametersOf } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const ask = (changes: Record<string, string | undefined> = {}, client: TestClient = app.client) =>
  app.newBrowser().get(app.askPath(client, changes))

/** Refused where the browser is: no redirect may follow a request whose target is not known to be right. */
const inPlace = async (reply: ReturnType<typeof ask>) => {
  const { status, location } = await reply
  return `${status} ${location ?? 'in place'}`
}
const backWith = async (reply: ReturnType<typeof ask>) => {
  const page = await reply
  expect([page.status, `${page.location?.origin}${page.location?.pathname}`]).toEqual([303, CALLBACK])
  expect(page.headers.get('location')).not.toMatch(/[?&]code=/)
  return parametersOf(page)
}

test('A01 an unknown or disabled client is refused in place', async () => {
  expect(await inPlace(ask({ client_id: 'nobody' }))).toBe('400 in place')
  expect(await inPlace(ask({ client_id: undefined }))).toBe('400 in place')
  const client = await app.newClient({ redirectUris: [CALLBACK] })
  await app.context.db
    .update(clients)
    .set({ disabledAt: inMs(0) })
    .where(eq(clients.id, client.id))
  expect(await inPlace(ask({}, client))).toBe('400 in place')
})

test('A05 A14 client_id or redirect_uri twice is refused in place, any other by redirect', async () => {
  const twice = (name: string) => app.newBrowser().get(`${app.askPath(app.client)}&${name}=${encodeURIComponent('x')}`)
  for (const name of ['client_id', 'redirect_uri']) expect(await inPlace(twice(name))).toBe('400 in place')
  for (const name of ['scope', 'state', 'response_type', 'code_challenge']) {
    expect(await backWith(twice(name))).toMatchObject({ error: 'invalid_request', iss: app.base })
  }
  expect(await backWith(app.newBrowser().get(`${app.askPath(app.client)}&foo=1&foo=2`))).toMatchObject({
    error: 'invalid_request',
  })
})

test('A06 response_type missing; the answer carries state and iss', async () => {
  const back = await backWith(ask({ response_type: undefined }))
  expect(back).toEqual({
    error: 'invalid_request',
    error_description: expect.stringContaining('response_type'),
    state: 'st 1/+&=?',
    iss: app.base,
  })
})

test.each(['token', 'code token', 'id_token', 'CODE'])('A07 A08 response_type %j', async (response_type) => {
  expect(await backWith(ask({ response_type }))).toMatchObject({ error: 'unsupported_response_type' })
})

describe('A09 A10 A11 A12 PKCE with S256 is asked of every client (CVE-2025-4144, CVE-2023-48228)', () => {
  test.each([
    { code_challenge: undefined },
    { code_challenge: '' },
    { code_challenge_method: undefined },
    { code_challenge_method: 'plain' },
    { code_challenge_method: 's256' },
    { code_challenge: 'a'.repeat(42) },
    { code_challenge: 'a'.repeat(44) },
    { code_challenge: `${'a'.repeat(42)}=` },
    { code_challenge: `${'a'.repeat(42)}+` },
  ])('%j', async (changes) => {
    expect(await backWith(ask(changes))).toMatchObject({ error: 'invalid_request' })
    expect(parametersOf(await ask(changes, app.native))).toMatchObject({ error: 'invalid_request' })
  })
})

test('A13 a scope that is unknown or not registered goes back as invalid_scope', async () => {
  const narrow = await app.newClient({ scopes: ['chat:read'], redirectUris: [CALLBACK] })
  expect(await backWith(ask({ scope: 'no:such' }))).toMatchObject({ error: 'invalid_scope' })
  expect(await backWith(ask({ scope: 'chat:read  user:read' }))).toMatchObject({ error: 'invalid_scope' })
  expect(await backWith(ask({}, narrow))).toMatchObject({ error: 'invalid_scope' })
})

test('C13 a client without the grant is told so by redirect', async () => {
  const client = await app.newClient({ redirectUris: [CALLBACK] })
  await app.context.db
    .update(clients)
    .set({ grantTypes: ['client_credentials'] })
    .where(eq(clients.id, client.id))
  expect(await backWith(ask({}, client))).toMatchObject({ error: 'unauthorized_client' })
})

test('A22 no state, none back; A23 line breaks split no header', async () => {
  expect(await backWith(ask({ state: undefined, response_type: undefined }))).not.toHaveProperty('state')
  expect(await backWith(ask({ state: '', response_type: undefined }))).not.toHaveProperty('state')
  const state = 'a\r\nSet-Cookie: x=y\r\n\r\n<script>'
  const page = await ask({ state, response_type: undefined })
  expect(parametersOf(page).state).toBe(state)
  expect(page.headers.get('set-cookie')).toBeNull()
})

test('A24 request objects and response modes are ignored and never fetched (CVE-2020-10770)', async () => {
  await using elsewhere = await startReceiver()
  const changes = { request_uri: elsewhere.url, request: 'eyJ', registration: '{}', response_mode: 'fragment' }
  const page = await ask({ ...changes, response_type: undefined })
  expect(page.location?.hash).toBe('')
  expect(parametersOf(page)).toMatchObject({ error: 'invalid_request' })
  expect((await ask(changes)).status).toBe(200)
  expect(elsewhere.requests).toEqual([])
})

test('R08 a NUL anywhere is refused in place', async () => {
  for (const name of ['state', 'scope', 'client_id', 'redirect_uri', 'foo']) {
    expect(await inPlace(ask({ [name]: 'a\0b' }))).toBe('400 in place')
  }
})

test('what leads to no redirect is a page for a browser and the envelope for anything else', async () => {
  const path = app.askPath(app.client, { client_id: 'nobody' })
  const page = await app.newBrowser().get(path)
  expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
  for (const accept of ['application/json', '*/*', 'text/plain']) {
    expect(errorOf(await app.request(`GET ${path}`, { headers: { accept } }))).toBe('400 invalid_request')
  }
})

test('A17 without a session: the login page, and never a code', async () => {
  for (const client of [app.client, app.native]) {
    const page = await ask({ redirect_uri: client === app.native ? NATIVE_CALLBACK : CALLBACK }, client)
    expect(page.status).toBe(200)
    expect(page.text).toContain('type="password"')
    expect(page.location).toBeUndefined()
  }
})

test('R05 prompt=none never shows anything; other values are ignored', async () => {
  expect(await backWith(ask({ prompt: 'none' }))).toMatchObject({ error: 'login_required', state: 'st 1/+&=?' })
  const browser = await app.loggedIn()
  const client = await app.newClient({ redirectUris: [CALLBACK] })
  expect(await backWith(browser.get(app.askPath(client, { prompt: 'none' })))).toMatchObject({
    error: 'consent_required',
  })
  await app.newGrant(client, ['user:read', 'chat:read'], app.grace)
  const silent = parametersOf(await browser.get(app.askPath(client, { prompt: 'none' })))
  expect(silent.code).toMatch(/^lsac_/)
  expect((await browser.get(app.askPath(client, { prompt: 'consent' }))).text).toContain('Allow')
  expect((await browser.get(app.askPath(client, { prompt: 'NONE' }))).status).toBe(303)
})

test('D12 a consent that covers the scopes is not asked for again, a wider one is', async () => {
  const browser = await app.loggedIn()
  const client = await app.newClient({ redirectUris: [CALLBACK] })
  const { refresh_token } = await app.newGrant(client, ['user:read', 'chat:read'], app.grace)
  expect(parametersOf(await browser.get(app.askPath(client, { scope: 'chat:read' }))).code).toMatch(/^lsac_/)
  expect((await browser.get(app.askPath(client, { scope: 'chat:write' }))).text).toContain('Allow')
  await app.revoke({ token: refresh_token, client_id: client.id, client_secret: client.secret ?? '' })
  expect((await browser.get(app.askPath(client))).text).toContain('Allow')
})

test('A27 a public client is asked for every time (CVE-2023-34246)', async () => {
  const browser = await app.loggedIn()
  await app.newGrant(app.native, ['user:read', 'chat:read'], app.grace)
  expect((await browser.get(app.askPath(app.native))).text).toContain('Allow')
  const silent = await browser.get(app.askPath(app.native, { prompt: 'none' }))
  expect(parametersOf(silent)).toMatchObject({ error: 'consent_required' })
})

test('a code that was issued for one request works for that one alone', async () => {
  const browser = await app.loggedIn()
  const client = await app.newClient({ redirectUris: [CALLBACK, `${CALLBACK}2`] })
  await app.newGrant(client, ['user:read', 'chat:read'], app.grace)
  const { verifier, challenge } = pkce()
  const { code = '' } = parametersOf(await browser.get(app.askPath(client, { code_challenge: challenge })))
  const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, client_id: client.id }
  const reply = await app.token({ ...fields, client_secret: client.secret ?? '', redirect_uri: CALLBACK })
  expect(reply.body.scope).toBe('user:read chat:read')
  await app.context.db.delete(clientRedirectUris).where(eq(clientRedirectUris.clientId, client.id))
})
