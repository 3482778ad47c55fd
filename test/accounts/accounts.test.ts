import { setTimeout as after } from 'node:timers/promises'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import { auditLog, authorizationCodes, loginSessions, users } from '../../src/db/schema/index.ts'
import { createUser } from '../../src/domain/accounts/accounts.ts'
import type { Browser } from '../support/browser.ts'
import { CALLBACK, errorOf } from '../support/flows.ts'
import { PASSWORD } from '../support/log.ts'
import { createPeopleApp, type PeopleApp } from '../support/people.ts'
import { isAnyoneWaiting } from '../support/waiting.ts'

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** Calls a procedure as the console does: JSON, with the session's cookie. */
async function call(browser: Browser, name: string, input: object = {}, method: 'GET' | 'POST' = 'POST') {
  const cookie = `sid=${browser.cookies.get('sid')}`
  const path = `/trpc/${name}${method === 'GET' ? `?input=${encodeURIComponent(JSON.stringify(input))}` : ''}`
  const reply = await app.request(`${method} ${path}`, {
    headers: { cookie },
    ...(method === 'POST' && { body: input }),
  })
  return { status: reply.status, result: reply.body?.result?.data, problem: reply.body?.error?.data?.problem }
}
const ask = (browser: Browser, name: string, input: object = {}) => call(browser, name, input, 'GET')

let people = 0
async function newPerson() {
  const username = `person${people++}`
  const user = await createUser(app.context, { username, email: `${username}@example.com`, password: PASSWORD })
  const browser = app.newBrowser()
  await app.logIn(browser, username)
  return { ...user, browser }
}

test('the account shows itself to its session, and to nobody else', async () => {
  const { browser, id, username } = await newPerson()
  expect((await ask(browser, 'account.me')).result).toMatchObject({ id, username, email: `${username}@example.com` })
  expect((await ask(app.newBrowser(), 'account.me')).status).toBe(401)
  const { access_token } = await app.newGrant()
  const byToken = await app.request('GET /trpc/account.me?input=%7B%7D', { token: access_token })
  expect(byToken.body.error.data.problem.code).toBe('forbidden')
})

test('/trpc takes the cookie from our own pages and as JSON alone', async () => {
  const { browser } = await newPerson()
  const cookie = `sid=${browser.cookies.get('sid')}`
  const body = JSON.stringify({ email: 'x@example.com', password: PASSWORD })
  const json = { cookie, 'content-type': 'application/json' }
  const foreign: [string, Record<string, string>][] = [
    [body, { ...json, origin: 'https://evil.example' }],
    [body, { ...json, origin: 'null' }],
    [body, { ...json, 'sec-fetch-site': 'cross-site' }],
    [body, { cookie, 'content-type': 'text/plain' }],
    ['email=x', { cookie, 'content-type': 'application/x-www-form-urlencoded' }],
  ]
  for (const [sent, headers] of foreign) {
    const reply = await app.request('POST /trpc/account.changeEmail', { body: sent, headers })
    expect([401, 415]).toContain(reply.status)
  }
})

test('a new address wants the password, and may be claimed by several: one of them can confirm it', async () => {
  const { browser } = await newPerson()
  const wrong = await call(browser, 'account.changeEmail', { email: 'new@example.com', password: 'wrong password' })
  expect(wrong.problem).toEqual({ code: 'invalid_request', message: 'password: is not your password.' })
  const taken = await call(browser, 'account.changeEmail', { email: 'grace@example.com', password: PASSWORD })
  expect(taken.result).toMatchObject({ email: 'grace@example.com', email_verified: false })
  const done = await call(browser, 'account.changeEmail', { email: 'new@example.com', password: PASSWORD })
  expect(done.result.email).toBe('new@example.com')
})

test('which addresses are taken cannot be tried out: tries of an address count together with new accounts', async () => {
  await using own = await createPeopleApp({ counters: memoryCounters() })
  const body = { email: 'somebody@example.com', password: PASSWORD }
  const tries = async (username: string) => {
    await createUser(own.context, { username, email: `${username}@example.org`, password: PASSWORD })
    const browser = own.newBrowser()
    await own.logIn(browser, username)
    const headers = { cookie: `sid=${browser.cookies.get('sid')}` }
    const statuses = []
    for (let n = 0; n < 10; n++)
      statuses.push((await own.request('POST /trpc/account.changeEmail', { headers, body })).status)
    return statuses
  }
  const statuses = [...(await tries('heidi')), ...(await tries('ivan')), (await tries('judy'))[0]]
  expect(statuses).toEqual([...Array(20).fill(200), 429])
})

test('a new password ends every session, grant and open code of the user, and nothing of others', async () => {
  const person = await newPerson()
  const elsewhere = app.newBrowser()
  await app.logIn(elsewhere, person.username)
  const granted = await app.newGrant(app.client, ['user:read'], person)
  const code = await app.newCode(app.client, ['user:read'], person)
  const others = await app.newGrant()

  const change = { current_password: PASSWORD, new_password: 'another long password' }
  const wrong = await call(person.browser, 'account.changePassword', { ...change, current_password: 'wrong password' })
  expect(wrong.problem.message).toMatch(/^current_password: /)
  const short = await call(person.browser, 'account.changePassword', { ...change, new_password: 'short' })
  expect(short.problem.message).toMatch(/^new_password: /)
  expect((await call(person.browser, 'account.changePassword', change)).status).toBe(200)

  for (const browser of [person.browser, elsewhere]) expect((await ask(browser, 'account.me')).status).toBe(401)
  expect(await app.statusOf(granted.access_token)).toBe(401)
  expect(errorOf(await app.refresh(granted.refresh_token))).toBe('400 invalid_grant')
  expect(errorOf(await app.token(code))).toBe('400 invalid_grant')
  expect(await app.statusOf(others.access_token)).toBe(200)

  expect((await app.logIn(app.newBrowser(), person.username)).status).toBe(401)
  expect((await app.logIn(app.newBrowser(), person.username, 'another long password')).status).toBe(303)
})

test('an exchange waits for a password that is being changed, and finds its code gone', async () => {
  const person = await newPerson()
  const code = await app.newCode(app.client, ['user:read'], person)
  const { db } = app.context
  let exchange: ReturnType<typeof app.token> | undefined
  let isSettled = false
  await db.transaction(async (tx) => {
    await tx.update(users).set({ updatedAt: app.context.now() }).where(eq(users.id, person.id)) // as a change begins
    exchange = app.token(code).finally(() => {
      isSettled = true
    })
    while (!isSettled && !(await isAnyoneWaiting(app.context))) await after(5)
    expect(isSettled).toBe(false)
    await tx.delete(authorizationCodes).where(eq(authorizationCodes.userId, person.id))
  })
  const reply = await exchange
  expect(reply && errorOf(reply)).toBe('400 invalid_grant')
})

test('sessions are listed and ended by their owner', async () => {
  const { browser, username, id } = await newPerson()
  const other = app.newBrowser()
  await app.logIn(other, username)
  const { items } = (await ask(browser, 'account.sessions.list')).result
  expect(items.map((one: { is_current: boolean }) => one.is_current)).toEqual([false, true])
  expect(items[0]).toMatchObject({ ip: '127.0.0.1', user_agent: expect.any(String) })
  expect(JSON.stringify(items)).not.toContain(browser.cookies.get('sid'))

  const stranger = await newPerson()
  const theft = await call(stranger.browser, 'account.sessions.revoke', { id: items[0].id })
  expect(theft.problem.code).toBe('not_found')
  expect((await call(browser, 'account.sessions.revoke', { id: items[0].id })).status).toBe(200)
  expect((await ask(other, 'account.me')).status).toBe(401)
  expect((await ask(browser, 'account.me')).status).toBe(200)
  expect(await app.context.db.select().from(loginSessions).where(eq(loginSessions.userId, id))).toHaveLength(1)
})

test('applications with access are listed and stopped by their user', async () => {
  const { browser, ...person } = await newPerson()
  const [one, other] = [await app.newClient({ redirectUris: [CALLBACK] }), app.other]
  const phone = await app.newGrant(one, ['user:read'], person)
  const laptop = await app.newGrant(one, ['chat:read', 'user:read'], person)
  const elsewhere = await app.newGrant(other, ['user:read'], person)

  const { items } = (await ask(browser, 'account.grants.list')).result
  expect(items.map(({ application_id }: { application_id: string }) => application_id)).toEqual([other.id, one.id])
  expect(items[1]).toMatchObject({ name: 'An application', scopes: ['chat:read', 'user:read'], grants: 2 })

  expect((await call(browser, 'account.grants.revoke', { application_id: one.id })).status).toBe(200)
  for (const { access_token } of [phone, laptop]) expect(await app.statusOf(access_token)).toBe(401)
  expect(await app.statusOf(elsewhere.access_token)).toBe(200)
  const again = await call(browser, 'account.grants.revoke', { application_id: one.id })
  expect(again.problem.code).toBe('not_found')
  expect((await ask(browser, 'account.grants.list')).result.items).toHaveLength(1)
})

test('what happens to an account is written down, without a secret', async () => {
  const person = await newPerson()
  await call(person.browser, 'account.changePassword', {
    current_password: PASSWORD,
    new_password: 'another long password',
  })
  const entries = await app.context.db.select().from(auditLog).where(eq(auditLog.userId, person.id))
  expect(entries.map(({ action }) => action).toSorted()).toEqual([
    'session.ended',
    'session.started',
    'user.created',
    'user.password_changed',
  ])
  expect(JSON.stringify(entries)).not.toMatch(/argon2|correct horse|another long/)
})
