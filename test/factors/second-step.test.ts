import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import { loginSessions, pendingLogins, recoveryCodes, totpFactors } from '../../src/db/schema/index.ts'
import { findSession } from '../../src/domain/access/sessions.ts'
import { changePassword } from '../../src/domain/accounts/new-password.ts'
import { completeLogin } from '../../src/domain/accounts/second-step.ts'
import { disableUser, enableUser } from '../../src/domain/accounts/suspension.ts'
import { PASSWORD } from '../support/log.ts'
import { createFactorsApp, type FactorsApp } from './people.ts'

let app: FactorsApp
beforeAll(async () => {
  app = await createFactorsApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const sessionsOf = (userId: string) => app.context.db.$count(loginSessions, eq(loginSessions.userId, userId))

test('the password alone opens nothing: the session exists only after the second step, and says both', async () => {
  const { user, authenticator } = await app.protectedPerson()
  const browser = app.newBrowser()
  const before = await sessionsOf(user.id)
  const page = await app.withPassword(browser, user.username)
  expect(page.text).toContain('one-time-code')
  expect([await app.isLoggedIn(browser), browser.cookies.has('sid')]).toEqual([false, false])
  expect(await sessionsOf(user.id)).toBe(before)
  const pending = browser.cookies.get('login') ?? ''
  expect(await findSession(app.context, pending)).toBeUndefined()

  app.later()
  expect((await app.withCode(browser, page, authenticator.at())).status).toBe(303)
  const session = await findSession(app.context, browser.cookies.get('sid') ?? '')
  expect(session).toMatchObject({ userId: user.id, amr: ['pwd', 'otp'], isFresh: true })
  expect(browser.cookies.has('login')).toBe(false)
})

test('the login goes on to where it was meant to, and an application’s request waits for the second step', async () => {
  const { user, authenticator } = await app.protectedPerson()
  const path = app.askPath(app.client)
  const browser = app.newBrowser()
  const asked = await browser.get(path)
  const half = await browser.submit(asked, '/login', { username: user.username, password: PASSWORD })
  expect((await browser.get(path)).text).toContain('name="password"')
  app.later()
  const page = await browser.get(`${half.location?.pathname}${half.location?.search}`)
  const done = await app.withCode(browser, page, authenticator.at())
  expect(`${done.location?.pathname}${done.location?.search}`).toBe(path)
})

test('a code counts once, a step before and a step after its time, and none that is older than one used', async () => {
  const { user, authenticator } = await app.protectedPerson()
  const enter = async (code: string) => {
    const browser = app.newBrowser()
    await app.withCode(browser, await app.withPassword(browser, user.username), code)
    return app.isLoggedIn(browser)
  }
  app.later(4)
  expect([await enter(authenticator.at(-2)), await enter(authenticator.at(2))]).toEqual([false, false])
  expect([await enter(authenticator.at(-1)), await enter(authenticator.at(-1))]).toEqual([true, false])
  expect([await enter(authenticator.at(1)), await enter(authenticator.at(0))]).toEqual([true, false])
})

test('of eight logins at once with one code, one succeeds', async () => {
  const { user, authenticator } = await app.protectedPerson()
  app.later()
  const code = authenticator.at()
  const { caller } = await app.actingAs(user)
  const logins = Array.from({ length: 8 }, async () => {
    const browser = app.newBrowser()
    await app.logIn(browser, user.username)
    const counters = memoryCounters()
    const ctx = { ...app.context, counters, caller: { ...caller, session: undefined } }
    return completeLogin(ctx, browser.cookies.get('login'), code)
  })
  const outcomes = await Promise.allSettled(logins)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('a recovery code opens once, in any spelling, and the others stay', async () => {
  const { user, recovery } = await app.protectedPerson()
  const enter = async (code = '') => {
    const browser = app.newBrowser()
    await app.withCode(browser, await app.withPassword(browser, user.username), code)
    return app.isLoggedIn(browser)
  }
  expect([await enter(recovery[3]), await enter(recovery[3])]).toEqual([true, false])
  expect(await enter(recovery[4]?.toUpperCase().replaceAll('-', ' '))).toBe(true)
  const stranger = await app.protectedPerson()
  expect(await enter(stranger.recovery[0])).toBe(false)
  const stored = await app.context.db.select().from(recoveryCodes)
  expect(JSON.stringify(stored)).not.toContain(recovery[5]?.replaceAll('-', ''))
})

test('a login that waits ends after ten minutes, with a new password, a closed account, and by its success', async () => {
  const { user, authenticator } = await app.protectedPerson()
  const half = async () => {
    const browser = app.newBrowser()
    return { browser, page: await app.withPassword(browser, user.username) }
  }
  const opens = async ({ browser, page }: Awaited<ReturnType<typeof half>>) => {
    app.later(2)
    await app.withCode(browser, page, authenticator.at())
    return app.isLoggedIn(browser)
  }
  const old = await half()
  await app.elapse(pendingLogins, 'expiresAt', 10 * 60_000)
  expect(await opens(old)).toBe(false)
  expect((await old.browser.get('/login/code?next=%2Fdocs')).location?.href).toBe(`${app.base}/login?next=%2Fdocs`)

  const closed = await half()
  await disableUser(app.context, user.username)
  expect(await opens(closed)).toBe(false)
  await enableUser(app.context, user.username)
  expect(await opens(closed)).toBe(false)

  const used = await half()
  const copy = app.newBrowser()
  for (const [name, value] of used.browser.cookies) copy.cookies.set(name, value)
  expect([await opens(used), await opens({ ...used, browser: copy })]).toEqual([true, false])

  const changed = await half()
  const owner = await app.actingAs(user)
  await changePassword(owner, { current_password: PASSWORD, new_password: 'another long pass phrase' })
  expect(await opens(changed)).toBe(false)
})

test('wrong codes are counted like wrong passwords; those of an authenticator also for the account, from wherever', async () => {
  const { user, authenticator, recovery } = await app.protectedPerson()
  const counters = memoryCounters()
  let tried = 0
  const attempt = async (code: string, address: string) => {
    const { caller } = await app.actingAs(user, address)
    const browser = app.newBrowser()
    await app.logIn(browser, user.username)
    const ctx = { ...app.context, counters, caller: { ...caller, session: undefined } }
    tried++
    return completeLogin(ctx, browser.cookies.get('login'), code).then(
      () => 'in',
      ({ code: problem }) => problem as string,
    )
  }
  const five = []
  for (let n = 0; n < 5; n++) five.push(await attempt('000000', '198.51.100.1'))
  expect(five).toEqual(Array(5).fill('unauthorized'))
  app.later()
  expect(await attempt(authenticator.at(), '198.51.100.1')).toBe('rate_limited')
  for (let host = 2; tried < 51; host++)
    for (let n = 0; n < 5 && tried < 51; n++) await attempt('000000', `198.51.100.${host}`)
  expect(await attempt(authenticator.at(), '203.0.113.9')).toBe('rate_limited')
  expect(await attempt(recovery[0] ?? '', '203.0.113.10')).toBe('in')
})

test('a second step that meets a change of the password leaves no session that survives it', async () => {
  for (let round = 0; round < 5; round++) {
    const { user, authenticator } = await app.protectedPerson()
    const browser = app.newBrowser()
    await app.logIn(browser, user.username)
    app.later()
    const ctx = { ...(await app.actingAs(user)) }
    const stranger = { ...ctx, caller: { ...ctx.caller, session: undefined } }
    const change = { current_password: PASSWORD, new_password: 'another long pass phrase' }
    await Promise.allSettled([
      completeLogin(stranger, browser.cookies.get('login'), authenticator.at()),
      changePassword(ctx, change),
    ])
    const left = await sessionsOf(user.id)
    expect(left).toBe(0)
  }
})

test('nothing that is stored gives a secret away', async () => {
  const { user, uri } = await app.protectedPerson()
  const [row] = await app.context.db.select().from(totpFactors).where(eq(totpFactors.userId, user.id))
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  expect(row?.ciphertext.includes(Buffer.from(secret))).toBe(false)
  expect(secret.length).toBe(32)
})
