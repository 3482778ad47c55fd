import { eq } from 'drizzle-orm'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditLog, authorizationCodes, clientRedirectUris, clients, users } from '../../src/db/schema/index.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import { Keyring } from '../../src/domain/core/keyring.ts'
import type { Browser } from '../support/browser.ts'
import { CALLBACK, NATIVE_CALLBACK, pkce } from '../support/flows.ts'
import { createPeopleApp, type PeopleApp, parametersOf } from '../support/people.ts'

let app: PeopleApp
let browser: Browser
beforeAll(async () => {
  app = await createPeopleApp()
  browser = await app.loggedIn()
})
afterAll(() => app[Symbol.asyncDispose]())

const AUTHORIZE = '/oauth/authorize'
const question = (changes: Record<string, string | undefined> = {}) => browser.get(app.askPath(app.native, changes))
const countCodes = async () => (await app.context.db.select().from(authorizationCodes)).length

test('A15 deny: access_denied, state and iss, and no code', async () => {
  const before = await countCodes()
  const page = await browser.submit(await question(), AUTHORIZE, { decision: 'deny' })
  expect(page.status).toBe(303)
  expect(parametersOf(page)).toEqual({
    error: 'access_denied',
    error_description: expect.any(String),
    state: 'st 1/+&=?',
    iss: app.base,
  })
  expect(await countCodes()).toBe(before)
})

test('A16 allow: code, state, iss, by 303; the code works', async () => {
  const { verifier, challenge } = pkce()
  const page = await browser.submit(await question({ code_challenge: challenge }), AUTHORIZE, { decision: 'allow' })
  expect(page.status).toBe(303)
  const { code = '', ...rest } = parametersOf(page)
  expect(rest).toEqual({ state: 'st 1/+&=?', iss: app.base })
  const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: NATIVE_CALLBACK }
  const { status, body } = await app.token({ ...fields, client_id: app.native.id })
  expect([status, body.scope]).toEqual([200, 'user:read chat:read'])
})

test('A18 everything is escaped, and the page says where the answer goes', async () => {
  const name = `<b>"Evil" & 'Co'</b>`
  const client = await app.newClient({
    redirectUris: ['https://client.example/cb?a="b"&c=%3Cscript%3E'.replaceAll('"', '%22')],
  })
  await app.context.db
    .update(clients)
    .set({ name, websiteUrl: 'https://x.example/"><script>', ownerId: app.ada.id })
    .where(eq(clients.id, client.id))
  const redirect_uri = 'https://client.example/cb?a=%22b%22&c=%3Cscript%3E'
  const page = await browser.get(app.askPath(client, { redirect_uri, state: '"><script>alert(1)</script>' }))
  expect(page.status).toBe(200)
  expect(page.text).toContain('&lt;b&gt;&quot;Evil&quot; &amp; &#39;Co&#39;&lt;/b&gt;')
  expect(page.text).not.toContain('<script')
  expect(page.text).not.toContain('<b>"Evil"')
  for (const shown of ['client.example', 'ada', 'grace', 'Read chat messages', 'Read your profile']) {
    expect(page.text).toContain(shown)
  }
})

test('the page warns of a program on the own computer, and its choices weigh the same', async () => {
  const page = await question()
  expect(page.text).toContain('this computer')
  expect(page.forms[0]?.buttons).toEqual(['Allow', 'Deny'])
  expect(page.text).not.toContain('<script')
})

test('A19 A20 pages cannot be framed, stored, sniffed or read by others, and leak no referrer', async () => {
  const pages = [
    await question(),
    await app.newBrowser().get(app.askPath(app.client)),
    await app.newBrowser().get('/login'),
    await app.newBrowser().get('/signup'),
    await browser.get('/logout'),
    await app.newBrowser().get(app.askPath(app.client, { client_id: 'nobody' })),
    await app.newBrowser().get(app.askPath(app.client, { response_type: undefined })),
  ]
  for (const { headers } of pages) {
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("base-uri 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('form-action')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('access-control-allow-origin')).toBeNull()
  }
  expect((await app.newBrowser().get('/login/style.css')).headers.get('content-type')).toMatch(/^text\/css/)
})

test('A21 a form from elsewhere, or without its token, gives nothing (CVE-2026-101062)', async () => {
  const before = await countCodes()
  const { fields = {} } = (await question()).forms[0] ?? {}
  const allow = { ...fields, decision: 'allow' }
  const forged = [
    await browser.post(AUTHORIZE, allow, { origin: 'https://evil.example' }),
    await browser.post(AUTHORIZE, allow, { 'sec-fetch-site': 'cross-site' }),
    await browser.post(AUTHORIZE, allow, { 'sec-fetch-site': 'same-site' }),
    await browser.post(AUTHORIZE, { ...allow, csrf: '' }),
    await browser.post(AUTHORIZE, { ...allow, csrf: Buffer.alloc(32).toString('base64url') }),
    await app.newBrowser().post(AUTHORIZE, allow),
    await (await app.loggedIn()).post(AUTHORIZE, allow),
  ]
  expect(forged.map(({ status }) => status)).toEqual(Array(7).fill(403))
  expect(await countCodes()).toBe(before)
  expect((await browser.post(AUTHORIZE, allow, { origin: app.base, 'sec-fetch-site': 'none' })).status).toBe(303)
})

test('A21 a ticket of the key before lives on when a new one is put in front, and none of a key that is gone', async () => {
  const keys = ['old', 'new', 'other'].map((name) => name.padEnd(32, '.'))
  const [old = '', next = '', other = ''] = keys
  await using own = await createPeopleApp({ keyring: new Keyring([old]) })
  const visitor = await own.loggedIn()
  const ask = () => visitor.get(own.askPath(own.native))
  const [first, second] = [await ask(), await ask()]
  own.context.keyring = new Keyring([next, old])
  expect((await visitor.submit(first, AUTHORIZE, { decision: 'allow' })).status).toBe(303)
  own.context.keyring = new Keyring([next, other])
  const { csrf = '' } = (await ask()).forms[0]?.fields ?? {}
  const ticket = second.forms[0]?.fields.ticket ?? ''
  expect((await visitor.post(AUTHORIZE, { ticket, csrf, decision: 'allow' })).status).toBe(400)
})

test('A21 an altered, foreign, old or home-made ticket gives nothing', async () => {
  const before = await countCodes()
  const { fields = {} } = (await question()).forms[0] ?? {}
  const { ticket = '', csrf = '' } = fields
  const [header = '', payload = '', signature = ''] = ticket.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const altered = Buffer.from(JSON.stringify({ ...claims, redirect: CALLBACK })).toString('base64url')
  const none = Buffer.from('{"alg":"none","typ":"authz+jwt"}').toString('base64url')
  const [key] = app.context.keyring.keysFor('consent-ticket')
  const make = (typ: string, by: Uint8Array) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ }).setExpirationTime(claims.exp).sign(by)
  const other = await app.loggedIn()
  const foreign = (await other.get(app.askPath(app.native))).forms[0]?.fields.ticket ?? ''

  const tickets = [
    '',
    'x',
    `${header}.${altered}.${signature}`,
    `${none}.${payload}.`,
    await make('JWT', key),
    await make('authz+jwt', Buffer.alloc(32, 1)),
    foreign,
  ]
  for (const one of tickets) {
    expect((await browser.post(AUTHORIZE, { ticket: one, csrf, decision: 'allow' })).status).toBe(400)
  }
  app.clock.at = new Date(app.clock.at.getTime() + 601_000)
  expect((await browser.post(AUTHORIZE, { ticket, csrf, decision: 'allow' })).status).toBe(400)
  expect(await countCodes()).toBe(before)
})

test('A21 no decision is none', async () => {
  const page = await question()
  expect((await browser.submit(page, AUTHORIZE)).status).toBe(400)
  expect((await browser.submit(page, AUTHORIZE, { decision: 'ALLOW' })).status).toBe(400)
})

test('A28 the client, its address or scopes went away in between', async () => {
  const before = await countCodes()
  const changes = [
    (id: string) => app.context.db.delete(clients).where(eq(clients.id, id)),
    (id: string) => app.context.db.delete(clientRedirectUris).where(eq(clientRedirectUris.clientId, id)),
    (id: string) =>
      app.context.db
        .update(clients)
        .set({ disabledAt: inMs(0) })
        .where(eq(clients.id, id)),
    (id: string) =>
      app.context.db
        .update(clients)
        .set({ scopes: ['chat:read'] })
        .where(eq(clients.id, id)),
    (id: string) =>
      app.context.db
        .update(clients)
        .set({ grantTypes: ['refresh_token'] })
        .where(eq(clients.id, id)),
  ]
  for (const change of changes) {
    const client = await app.newClient({ isConfidential: false, redirectUris: [NATIVE_CALLBACK] })
    const page = await browser.get(app.askPath(client))
    await change(client.id)
    const answer = await browser.submit(page, AUTHORIZE, { decision: 'allow' })
    expect([answer.status, answer.location]).toEqual([400, undefined])
  }
  expect(await countCodes()).toBe(before)
})

test('a user who was disabled meanwhile gets no code', async () => {
  const page = await question()
  await app.context.db
    .update(users)
    .set({ disabledAt: inMs(0) })
    .where(eq(users.id, app.grace.id))
  expect((await browser.submit(page, AUTHORIZE, { decision: 'allow' })).status).toBe(403)
  await app.context.db.update(users).set({ disabledAt: null }).where(eq(users.id, app.grace.id))
})

test('who is asked may leave for another account, and comes back to the question', async () => {
  const own = await app.loggedIn()
  const page = await own.get(app.askPath(app.native))
  const left = await own.submit(page, '/logout')
  expect([left.status, left.location?.pathname]).toEqual([303, AUTHORIZE])
  expect((await own.get(`${left.location?.pathname}${left.location?.search}`)).text).toContain('type="password"')
})

test('what was allowed is written down', async () => {
  await browser.submit(await question(), AUTHORIZE, { decision: 'allow' })
  const [entry] = await app.context.db.select().from(auditLog).where(eq(auditLog.action, 'grant.allowed'))
  expect(entry).toMatchObject({ actorType: 'user', actorId: app.grace.id, clientId: app.native.id })
})
