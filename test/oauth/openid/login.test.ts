import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginSessions } from '../../../src/db/schema/index.ts'
import { PASSWORD } from '../../support/log.ts'
import { createPeopleApp, type PeopleApp, parametersOf } from '../../support/people.ts'

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const scope = 'openid'

/** Somebody whose consent is not asked for any more. */
async function allowed() {
  const browser = await app.loggedIn()
  await app.newGrant(app.client, [scope], app.grace)
  return browser
}

test('O08 max_age asks again when the login is older, once, and goes on', async () => {
  const browser = await app.loggedIn()
  const young = await browser.get(app.askPath(app.client, { scope, max_age: '1000' }))
  expect(young.text).toContain('wants access')
  await app.elapse(loginSessions, 'authenticatedAt', 2_000_000)
  const login = await browser.get(app.askPath(app.client, { scope, max_age: '1000' }))
  expect(login.text).toContain('current-password')
  const { location } = await browser.submit(login, '/login', { username: 'grace', password: PASSWORD })
  expect(location?.searchParams.has('max_age')).toBe(false)
  expect((await browser.get(`${location?.pathname}${location?.search}`)).text).toContain('wants access')
})

test('O09 prompt=login asks whoever is logged in, once; with consent for that as well', async () => {
  const browser = await app.loggedIn()
  const login = await browser.get(app.askPath(app.client, { scope, prompt: 'login consent' }))
  const { location } = await browser.submit(login, '/login', { username: 'grace', password: PASSWORD })
  expect(location?.searchParams.get('prompt')).toBe('consent')
  expect((await browser.get(`${location?.pathname}${location?.search}`)).text).toContain('wants access')
})

test('R05 prompt=none shows no page, also for a login that is too old, and stands alone', async () => {
  const browser = await allowed()
  const errorOf = async (changes: Record<string, string>) =>
    parametersOf(await browser.get(app.askPath(app.client, { scope, ...changes }))).error
  expect(await errorOf({ prompt: 'none', max_age: '0' })).toBe('login_required')
  expect(await errorOf({ prompt: 'none login' })).toBe('invalid_request')
  for (const max_age of ['-1', '1.5', 'x', '99999999999'])
    expect(await errorOf({ max_age }), max_age).toBe('invalid_request')
})

test('R05 prompt=none shows no page where everybody needs a second factor and the login has shown none', async () => {
  const browser = await allowed()
  const back = async () => parametersOf(await browser.get(app.askPath(app.client, { scope, prompt: 'none' })))
  app.context.secondFactor = 'all'
  expect(await back()).toMatchObject({ error: 'login_required', state: 'st 1/+&=?', iss: app.base })
  await app.context.db.update(loginSessions).set({ amr: ['pwd', 'otp'] })
  expect((await back()).code).toMatch(/^lsac_/)
  app.context.secondFactor = 'off'
})

test('O10 login_hint fills in the name, escaped, and nothing else', async () => {
  const hint = 'ada"><script>'
  const page = await app.newBrowser().get(app.askPath(app.client, { scope, login_hint: hint }))
  expect(page.text).toContain('value="ada&quot;&gt;&lt;script&gt;"')
  expect(page.text).not.toContain('<script>')
})

test('O10 a nonce that is longer than any is refused', async () => {
  const page = await app.newBrowser().get(app.askPath(app.client, { scope, nonce: 'n'.repeat(513) }))
  expect(parametersOf(page).error).toBe('invalid_request')
})
