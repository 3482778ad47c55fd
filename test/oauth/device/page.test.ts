import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryCounters } from '../../../src/counters/counters.ts'
import { clients } from '../../../src/db/schema/index.ts'
import { errorOf } from '../../support/flows.ts'
import { PASSWORD } from '../../support/log.ts'
import { createDeviceApp } from './support.ts'

let app: Awaited<ReturnType<typeof createDeviceApp>>
beforeAll(async () => {
  app = await createDeviceApp()
})
afterAll(() => app[Symbol.asyncDispose]())

test('D26 the login comes first and leads back, with the code of a complete address', async () => {
  const { user_code } = await app.begin()
  const browser = app.newBrowser()
  const login = await browser.get(`/device?user_code=${user_code}`)
  const { location } = await browser.submit(login, '/login', { username: 'grace', password: PASSWORD })
  expect(`${location?.pathname}${location?.search}`).toBe(`/device?user_code=${user_code}`)
})

test('D27 everybody is asked, whatever they have allowed before, and a complete address only saves the typing', async () => {
  const browser = await app.loggedIn()
  for (let n = 0; n < 2; n++) {
    const device = await app.begin(app.client)
    const page = await browser.get(`/device?user_code=${device.user_code}`)
    expect(page.text).toContain(`value="${device.user_code}"`)
    expect(page.text).not.toContain('Allow')
    const question = await browser.submit(page, '/device', { user_code: device.user_code })
    expect(question.text).toContain('Allow')
    expect(errorOf(await app.poll(device, app.client))).toBe('400 authorization_pending')
    await browser.submit(question, '/device', { decision: 'allow' })
    expect((await app.poll(device, app.client)).status).toBe(200)
  }
})

test('D27 the question names the application, its owner and what it wants, and warns of codes that somebody sent', async () => {
  const owner = await app.user('maker')
  const client = await app.newClient({ isConfidential: false, owner })
  const { user_code } = await app.begin(client, { scope: 'user:read chat:write' })
  const entry = await (await app.loggedIn()).get('/device')
  const { text, headers } = await app.enter(await app.loggedIn(), user_code)
  for (const words of ['An application', 'maker', 'Read your profile', 'chat messages in your name', user_code])
    expect(text).toContain(words)
  for (const page of [entry.text, text]) expect(page).toMatch(/somebody sen[dt]/)
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(headers.get('cache-control')).toBe('no-store')
})

test('D28 a code counts in any case and with anything between its letters, and is asked about as the device shows it', async () => {
  const { user_code } = await app.begin()
  const letters = user_code.replace('-', '').toLowerCase()
  for (const typed of [letters, ` ${letters} `, letters.split('').join(' '), user_code.replace('-', '–')]) {
    const { text } = await app.enter(await app.loggedIn(), typed)
    expect(text).toContain('Allow')
    expect(text).toContain(`<b>${user_code}</b>`)
  }
})

test('D29 ten wrong codes of a session, or of an address, in 15 minutes; right ones are not counted', async () => {
  await using strict = await createDeviceApp({ counters: memoryCounters() })
  const browser = await strict.loggedIn()
  const device = await strict.begin()
  for (let n = 0; n < 12; n++) expect((await strict.enter(browser, device.user_code)).status).toBe(200)
  for (let n = 0; n < 10; n++) expect((await strict.enter(browser, 'BBBB-BBBB')).status).toBe(400)
  const refused = await strict.enter(browser, device.user_code)
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
  expect((await strict.enter(await strict.loggedIn(), device.user_code)).status).toBe(429) // the same address
})

test('D29 parallel guesses do not get past the limit', async () => {
  await using strict = await createDeviceApp({ counters: memoryCounters() })
  const browser = await strict.loggedIn()
  const page = await browser.get('/device')
  const guesses = Array.from({ length: 30 }, () => browser.submit(page, '/device', { user_code: 'CCCC-CCCC' }))
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 400)).toHaveLength(10)
})

test('D30 an answer that is forged, repeated, of another session or without a decision does nothing', async () => {
  const [browser, other] = [await app.loggedIn(), await app.loggedIn()]
  const device = await app.begin()
  const question = await app.enter(browser, device.user_code)
  const ticket = question.forms.find(({ action }) => action === '/device')?.fields.ticket ?? ''
  const elsewhere = await other.submit(await other.get('/device'), '/device', { ticket, decision: 'allow' })
  expect(elsewhere.status).toBe(400)
  expect((await browser.post('/device', { ticket, decision: 'allow' })).status).toBe(403)
  expect((await browser.submit(question, '/device', { ticket: `${ticket}x`, decision: 'allow' })).status).toBe(400)
  expect((await browser.submit(question, '/device', {})).status).toBe(400)
  const foreign = { 'sec-fetch-site': 'cross-site' }
  const form = question.forms.find(({ action }) => action === '/device')?.fields ?? {}
  expect((await browser.post('/device', { ...form, decision: 'allow' }, foreign)).status).toBe(403)
  expect(errorOf(await app.poll(device))).toBe('400 authorization_pending')
  expect((await browser.submit(question, '/device', { decision: 'deny' })).status).toBe(200)
  expect((await browser.submit(question, '/device', { decision: 'allow' })).status).toBe(400)
  expect(errorOf(await app.poll(device))).toBe('400 access_denied')
})

test('D30 a ticket of the authorization endpoint is none here, nor the other way round', async () => {
  const browser = await app.loggedIn()
  const consent = await browser.get(app.askPath(app.native))
  const ticket = consent.forms.find(({ action }) => action === '/oauth/authorize')?.fields.ticket ?? ''
  const page = await browser.get('/device')
  expect((await browser.submit(page, '/device', { ticket, decision: 'allow' })).status).toBe(400)
  const question = await app.enter(browser, (await app.begin()).user_code)
  const device = question.forms.find(({ action }) => action === '/device')?.fields.ticket ?? ''
  const { status } = await browser.submit(consent, '/oauth/authorize', { ticket: device, decision: 'allow' })
  expect(status).toBe(400)
})

test('D30 an application that was stopped, or lost a scope, meanwhile gets nothing', async () => {
  const client = await app.newClient({ isConfidential: false })
  const browser = await app.loggedIn()
  const question = await app.enter(browser, (await app.begin(client)).user_code)
  const change = (values: Partial<typeof clients.$inferInsert>) =>
    app.context.db.update(clients).set(values).where(eq(clients.id, client.id))
  await change({ scopes: ['chat:read'] })
  expect((await browser.submit(question, '/device', { decision: 'allow' })).status).toBe(400)
  const late = await app.begin(client, { scope: 'chat:read' })
  await change({ disabledAt: new Date() })
  expect((await app.enter(browser, late.user_code)).status).toBe(400)
})
