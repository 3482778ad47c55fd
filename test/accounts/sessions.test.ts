import { and, eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPools } from '../../src/db/pools.ts'
import { auditLog, loginSessions, users } from '../../src/db/schema/index.ts'
import { findSession, SESSIONS_MAX, startSession } from '../../src/domain/access/sessions.ts'
import { callerOf } from '../../src/rest/http/caller.ts'
import { PASSWORD } from '../support/log.ts'
import { createPeopleApp, type PeopleApp } from '../support/people.ts'

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const caller = callerOf({ headers: {}, rawHeaders: [], socket: { remoteAddress: '192.0.2.8' } } as never, 0)

const isLoggedIn = async (browser: ReturnType<PeopleApp['newBrowser']>) => (await browser.get('/login')).status === 303

test('a session is new at every login, and the one before ends', async () => {
  const browser = app.newBrowser()
  browser.cookies.set('sid', 'planted-by-somebody-else')
  await app.logIn(browser)
  const first = browser.cookies.get('sid') ?? ''
  expect(first).not.toBe('planted-by-somebody-else')

  const page = await app.newBrowser().get('/login')
  const again = app.newBrowser()
  again.cookies.set('sid', first)
  again.cookies.set('visitor', /visitor=([^;]+)/.exec(page.headers.getSetCookie()[0] ?? '')?.[1] ?? '')
  await again.submit(page, '/login', { username: 'grace', password: PASSWORD })
  expect(again.cookies.get('sid')).not.toBe(first)
  expect(await isLoggedIn(browser)).toBe(false)
  expect(await isLoggedIn(again)).toBe(true)
})

test('a session says when and how its user proved who they are: at the login, not at its last use', async () => {
  const browser = await app.loggedIn()
  const secret = browser.cookies.get('sid') ?? ''
  const begun = await findSession(app.context, secret)
  expect(begun?.amr).toEqual(['pwd'])
  expect(Math.abs(Date.now() - Number(begun?.authenticatedAt))).toBeLessThan(60_000)

  await app.elapse(loginSessions, 'authenticatedAt', 3_600_000)
  await app.elapse(loginSessions, 'lastSeenAt', 120_000)
  await browser.get('/login')
  const used = await findSession(app.context, secret)
  expect(Number(begun?.authenticatedAt) - Number(used?.authenticatedAt)).toBe(3_600_000)

  const both = await startSession({ ...app.context, caller }, app.grace.id, ['pwd', 'otp'])
  expect((await findSession(app.context, both))?.amr).toEqual(['pwd', 'otp'])
  await expect(startSession({ ...app.context, caller }, app.grace.id, [])).rejects.toThrow()
})

test('a session ends when it idles for 12 hours, and after 7 days whatever happens', async () => {
  const browser = await app.loggedIn()
  await app.elapse(loginSessions, 'lastSeenAt', 12 * 3_600_000 - 5_000)
  expect(await isLoggedIn(browser)).toBe(true) // and was seen just now
  await app.elapse(loginSessions, 'lastSeenAt', 12 * 3_600_000 - 5_000)
  expect(await isLoggedIn(browser)).toBe(true)
  await app.elapse(loginSessions, 'lastSeenAt', 12 * 3_600_000)
  expect(await isLoggedIn(browser)).toBe(false)

  const other = await app.loggedIn()
  await app.elapse(loginSessions, 'expiresAt', 7 * 24 * 3_600_000)
  expect(await isLoggedIn(other)).toBe(false)
})

test('a log-out asks first, and ends the session for good', async () => {
  const browser = await app.loggedIn()
  const sid = browser.cookies.get('sid') ?? ''
  const page = await browser.get('/logout')
  expect(await isLoggedIn(browser)).toBe(true)
  expect((await browser.post('/logout', { csrf: 'x' })).status).toBe(403)
  await browser.submit(page, '/logout')
  expect(browser.cookies.has('sid')).toBe(false)
  browser.cookies.set('sid', sid)
  expect(await isLoggedIn(browser)).toBe(false)
  expect((await app.newBrowser().get('/logout')).location?.pathname).toBe('/login')
})

test('M05 of sessions and passwords only hashes are kept', async () => {
  const browser = await app.loggedIn()
  const rows = [...(await app.context.db.select().from(loginSessions)), ...(await app.context.db.select().from(users))]
  const text = JSON.stringify(rows.map((row) => Object.values(row).map(String)))
  expect(text).not.toContain(browser.cookies.get('sid'))
  expect(text).not.toContain(PASSWORD)
})

test('whoever logs in again and again ends the oldest of their own sessions, and nobody else’s', async () => {
  const [often, once] = [await app.user('often'), await app.user('once')]
  const start = ({ id }: { id: string }) => startSession({ ...app.context, caller }, id, ['pwd'])
  const other = await start(once)
  const secrets = []
  for (let n = 0; n < SESSIONS_MAX + 2; n++) secrets.push(await start(often))
  const living = await Promise.all([other, ...secrets].map((secret) => findSession(app.context, secret)))
  expect(living.map((session) => session !== undefined)).toEqual([
    true,
    false,
    false,
    ...Array(SESSIONS_MAX).fill(true),
  ])
})

test('whoever has ten thousand sessions ends a thousand of the oldest at a login, in as few statements as one', async () => {
  const many = await app.user('many')
  await app.context.db.execute(sql`
    insert into login_sessions (id, secret_hash, user_id, created_at, last_seen_at, expires_at)
    select 'ses_' || lpad(n::text, 26, '0'), sha256(n::text::bytea), ${many.id}, now(), now(), now() + interval '1 day'
    from generate_series(1, 10000) n`)
  const texts: string[] = []
  const watch = () => (text: string) => {
    texts.push(text)
    return () => {}
  }
  await using pools = openPools(app.target, { watch })
  await startSession({ ...app.context, ...pools, caller }, many.id, ['pwd'])
  expect(texts).toHaveLength(4) // the session, its line, those that end, their lines
  const left = await app.context.db
    .select()
    .from(loginSessions)
    .where(eq(loginSessions.userId, many.id))
    .orderBy(loginSessions.id)
  expect([left.length, left[0]?.id]).toEqual([9_001, `ses_${'1001'.padStart(26, '0')}`])
  const ended = and(eq(auditLog.userId, many.id), eq(auditLog.action, 'session.ended'))
  expect(await app.context.db.$count(auditLog, ended)).toBe(1_000)
})
