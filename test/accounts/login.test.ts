import { hash } from '@node-rs/argon2'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import { users } from '../../src/db/schema/index.ts'
import { logIn } from '../../src/domain/accounts/login.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import { rateLimits } from '../../src/domain/core/rate-limits.ts'
import { caller, createOAuthApp } from '../support/flows.ts'
import { PASSWORD } from '../support/log.ts'
import { createPeopleApp, type PeopleApp } from '../support/people.ts'

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const isLoggedIn = async (browser: ReturnType<PeopleApp['newBrowser']>) => (await browser.get('/login')).status === 303

test('the right password starts a session; the name is taken in any case, the password as typed', async () => {
  const browser = app.newBrowser()
  expect((await app.logIn(browser, 'GRACE')).status).toBe(303)
  expect(await isLoggedIn(browser)).toBe(true)
  for (const wrong of [PASSWORD.toUpperCase(), ` ${PASSWORD}`, `${PASSWORD} `]) {
    expect((await app.logIn(app.newBrowser(), 'grace', wrong)).status).toBe(401)
  }
})

test('A25 a wrong password, an unknown name and one that can be none get the same words', async () => {
  const pages = await Promise.all(
    ['grace', 'nobody_here', 'no name at all', 'x'.repeat(300)].map((name) =>
      app.logIn(app.newBrowser(), name, 'wrong password'),
    ),
  )
  const words = pages.map(({ status, text }) => `${status} ${text.replace(/<[^>]*>/g, ' ')}`)
  expect(new Set(words).size).toBe(1)
  expect(words[0]).toContain('Wrong name, address or password')
})

test('A25 a disabled user and one without a password are as unknown ones', async () => {
  const bob = await app.user('bob')
  const answers = [await app.logIn(app.newBrowser(), 'bob')]
  await app.context.db
    .update(users)
    .set({ disabledAt: inMs(0) })
    .where(eq(users.id, app.grace.id))
  answers.push(await app.logIn(app.newBrowser()))
  await app.context.db.update(users).set({ disabledAt: null }).where(eq(users.id, app.grace.id))
  expect(answers.map(({ status }) => status)).toEqual([401, 401])
  expect(bob.username).toBe('bob')
})

test('a password beyond 256 characters is wrong, not an error', async () => {
  expect((await app.logIn(app.newBrowser(), 'grace', 'x'.repeat(5000))).status).toBe(401)
})

test('the cookie is for this host, no script and no other site’s form', async () => {
  const page = await app.logIn(app.newBrowser())
  const [cookie = ''] = page.headers.getSetCookie().filter((one) => one.startsWith('sid='))
  expect(cookie).toMatch(/^sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)

  await using secure = await createOAuthApp({ publicUrl: 'https://api.example' })
  const visitor = (await secure.request('GET /login')).headers.getSetCookie()[0]
  expect(visitor).toMatch(/^__Host-visitor=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Secure$/)
})

test('A26 the form works with its own token alone, and from our own page alone', async () => {
  const browser = app.newBrowser()
  const page = await browser.get('/login')
  const { fields = {} } = page.forms[0] ?? {}
  const right = { ...fields, username: 'grace', password: PASSWORD }
  const forged = [
    await browser.post('/login', { ...right, csrf: 'x' }),
    await app.newBrowser().post('/login', right),
    await browser.post('/login', right, { origin: 'https://evil.example' }),
    await browser.post('/login', right, { 'sec-fetch-site': 'cross-site' }),
  ]
  expect(forged.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  expect(browser.cookies.has('sid')).toBe(false)
  expect((await browser.post('/login', right)).status).toBe(303)
})

describe('A29 after the login only our own pages follow', () => {
  test.each([
    ['/oauth/authorize?client_id=x&state=%2F%2F', '/oauth/authorize?client_id=x&state=%2F%2F'],
    ['/console/apps?x=1', '/console/apps?x=1'],
    ['//evil.example/console', '/console/'],
    ['/\\evil.example/console', '/console/'],
    ['/\t/evil.example/console', '/console/'],
    ['https://evil.example/console', '/console/'],
    ['javascript:alert(1)', '/console/'],
    ['/v1/users/me', '/console/'],
    ['/oauth/authorized', '/console/'],
    ['/signup', '/console/'],
    ['console', '/console/'],
    ['', '/console/'],
    ['/', '/console/'],
  ])('%j leads to %s', async (next, expected) => {
    const browser = app.newBrowser()
    const page = await browser.get(`/login?next=${encodeURIComponent(next)}`)
    const { headers } = await browser.submit(page, '/login', { username: 'grace', password: PASSWORD })
    expect(headers.get('location')).toBe(expected)
  })
})

test('a hash of another cost is renewed at the login', async () => {
  const weak = await hash(PASSWORD, { memoryCost: 256, timeCost: 1, parallelism: 1 })
  await app.context.db.update(users).set({ passwordHash: weak }).where(eq(users.id, app.grace.id))
  await app.loggedIn()
  const [row] = await app.context.db.select().from(users).where(eq(users.id, app.grace.id))
  expect(row?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=512,t=2,p=1\$/) // of this suite: support/password-cost.ts
  await app.loggedIn()
})

test('R01 five failures for one account and address; the sixth is refused with words, even when right', async () => {
  await using throttled = await createPeopleApp({ counters: memoryCounters(), trustProxy: 1 })
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const attempt = async (username: string, password: string, address: string) => {
    const browser = throttled.newBrowser()
    const { fields = {} } = (await browser.get('/login')).forms[0] ?? {}
    return browser.post('/login', { ...fields, username, password }, from(address))
  }
  const atOnce = await Promise.all(Array.from({ length: 12 }, () => attempt('grace', 'wrong', '192.0.2.1')))
  expect(atOnce.filter(({ status }) => status === 401)).toHaveLength(5)
  expect(atOnce.filter(({ status }) => status === 429)).toHaveLength(7)
  const right = await attempt('GRACE', PASSWORD, '192.0.2.1')
  expect(right.status).toBe(429)
  expect(right.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(right.text).toContain('Too many failed attempts')

  expect((await attempt('grace', PASSWORD, '192.0.2.2')).status).toBe(303)
  expect((await attempt('nobody', 'wrong', '192.0.2.1')).status).toBe(401)
  for (let n = 0; n < 7; n++) expect((await attempt('grace', PASSWORD, '192.0.2.3')).status).toBe(303)
})

test('right logins are counted as well, by account and address: a program that logs in for each call fills no table', async () => {
  const counters = memoryCounters()
  const { id, username } = app.grace
  for (let n = 0; n < 299; n++) await counters.take(rateLimits.logins, `${id} 192.0.2.1`)
  const logInFrom = (address: string) =>
    logIn({ ...app.context, counters, caller: caller({ address }) }, { username, password: PASSWORD })
  await logInFrom('192.0.2.1')
  await expect(logInFrom('192.0.2.1')).rejects.toMatchObject({ code: 'rate_limited' })
  await logInFrom('192.0.2.2')
})

test('of one person twelve right logins at once succeed, and so do twelve after four failures', async () => {
  const ctx = { ...app.context, counters: memoryCounters(), caller: caller() }
  const attempt = (password: string) => logIn(ctx, { username: 'grace', password })
  const twelve = () => Promise.all(Array.from({ length: 12 }, () => attempt(PASSWORD)))
  await twelve()
  for (let n = 0; n < 4; n++) await expect(attempt('wrong')).rejects.toMatchObject({ code: 'unauthorized' })
  await twelve()
  await expect(attempt('wrong')).rejects.toMatchObject({ code: 'unauthorized' })
  await expect(attempt(PASSWORD)).rejects.toMatchObject({ code: 'rate_limited' })
})

test('nor is one of them refused where the first renews the hash', async () => {
  const passwordHash = await hash(PASSWORD, { memoryCost: 256, timeCost: 1, parallelism: 1 })
  await app.context.db.update(users).set({ passwordHash }).where(eq(users.id, app.grace.id))
  const ctx = { ...app.context, counters: memoryCounters(), caller: caller() }
  const credentials = { username: 'grace', password: PASSWORD }
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => logIn(ctx, credentials)))
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
})

test('a guess that is not made counts for no account, so who leaves while they wait may try again', async () => {
  const ctx = { ...app.context, counters: memoryCounters() }
  const attempt = (record: object, password: string) =>
    logIn({ ...ctx, caller: caller({ record }) }, { username: 'grace', password })
  for (let n = 0; n < 20; n++)
    await expect(attempt({ hasEnded: true }, PASSWORD)).rejects.toMatchObject({ code: 'unavailable' })
  for (let n = 0; n < 5; n++) await expect(attempt({}, 'wrong')).rejects.toMatchObject({ code: 'unauthorized' })
  await expect(attempt({}, PASSWORD)).rejects.toMatchObject({ code: 'rate_limited' })
})

test('nor does one that is refused on its way, but for its address it does: look-ups have an end', async () => {
  const ctx = { ...app.context, counters: memoryCounters() }
  let lookUps = 0
  const attempt = (leaves: boolean) => {
    const record = { hasEnded: false }
    const db = new Proxy(ctx.db, {
      get: (target, property) => {
        record.hasEnded = leaves
        lookUps += Number(leaves)
        return Reflect.get(target, property)
      },
    })
    return logIn({ ...ctx, db, caller: caller({ record }) }, { username: 'grace', password: PASSWORD })
  }
  for (let n = 0; n < 99; n++) await expect(attempt(true)).rejects.toMatchObject({ code: 'unavailable' })
  await attempt(false)
  await expect(attempt(true)).rejects.toMatchObject({ code: 'unavailable' })
  const before = lookUps
  await expect(attempt(true)).rejects.toMatchObject({ code: 'rate_limited' })
  expect([before > 0, lookUps]).toEqual([true, before])
})

test('what meets an outage is no attempt of anybody: whoever has tried again all the time is let in when it is over', async () => {
  const ctx = { ...app.context, counters: memoryCounters(), caller: caller() }
  const outage = () => {
    throw new Error('an outage')
  }
  const db = new Proxy(ctx.db, { get: outage })
  const credentials = { username: 'grace', password: PASSWORD }
  for (let n = 0; n < 120; n++) await expect(logIn({ ...ctx, db }, credentials)).rejects.toThrow('an outage')
  await logIn(ctx, credentials)
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

test('the pages take GET and POST, HEAD and OPTIONS', async () => {
  const reply = await app.request('DELETE /login', { headers: { accept: 'application/json' } })
  expect([reply.status, reply.body.error.code]).toEqual([405, 'method_not_allowed'])
  expect(reply.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
  expect((await app.request('OPTIONS /oauth/authorize')).status).toBe(204)
  expect((await app.request('HEAD /login')).status).toBe(200)
})
