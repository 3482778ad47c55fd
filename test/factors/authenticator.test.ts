import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginSessions, recoveryCodes, totpEnrolments } from '../../src/db/schema/index.ts'
import { findSession } from '../../src/domain/access/sessions.ts'
import { Keyring } from '../../src/domain/core/keyring.ts'
import { transact } from '../../src/domain/core/transaction.ts'
import { confirmTotp, startTotp } from '../../src/domain/factors/authenticator.ts'
import { consumeCode } from '../../src/domain/factors/consume-code.ts'
import { listFactors } from '../../src/domain/factors/list.ts'
import { reEncryptFactors } from '../../src/domain/factors/re-encrypt.ts'
import { renewRecoveryCodes } from '../../src/domain/factors/recovery-codes.ts'
import { removeTotp, resetFactors } from '../../src/domain/factors/remove.ts'
import { authenticatorOf, createFactorsApp, type FactorsApp } from './people.ts'

let app: FactorsApp
beforeAll(async () => {
  app = await createFactorsApp()
})
afterAll(() => app[Symbol.asyncDispose]())

test('an authenticator that nobody confirmed asks nobody for a code, and ends after a quarter of an hour', async () => {
  const user = await app.person()
  const ctx = await app.actingAs(user)
  const { uri, secret, qr } = await startTotp(ctx)
  expect(decodeURIComponent(uri)).toMatch(/^otpauth:\/\/totp\/Developer API:person_\d+\?/)
  expect(uri).toContain(`secret=${secret}`)
  expect(qr.size).toBeGreaterThan(25)
  expect(qr.path).toMatch(/^(M\d+ \d+h1v1h-1z)+$/)
  await expect(confirmTotp(ctx, { code: '000000' })).rejects.toMatchObject({ code: 'invalid_request' })
  const browser = app.newBrowser()
  await app.logIn(browser, user.username)
  expect(await app.isLoggedIn(browser)).toBe(true)

  await app.elapse(totpEnrolments, 'expiresAt', 15 * 60_000)
  const right = authenticatorOf(uri, () => app.clock.at).at()
  await expect(confirmTotp(ctx, { code: right })).rejects.toThrow('begin again')
})

test('with the first factor come ten recovery codes, and every session that the password alone began ends', async () => {
  const user = await app.person()
  const elsewhere = app.newBrowser()
  await app.logIn(elsewhere, user.username)
  const ctx = await app.actingAs(user)
  const { uri } = await startTotp(ctx)
  const { recovery_codes: codes } = await confirmTotp(ctx, { code: authenticatorOf(uri, () => app.clock.at).at() })
  expect(new Set(codes).size).toBe(10)
  expect(codes?.every((code) => /^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/.test(code))).toBe(true)
  expect(await app.isLoggedIn(elsewhere)).toBe(false)
  expect((await findSession(app.context, ctx.caller.session))?.amr).toEqual(['pwd', 'otp'])
})

test('a new authenticator takes the place of the old one, whose codes end; the recovery codes stay', async () => {
  const { user, ctx, authenticator } = await app.protectedPerson()
  const { uri } = await startTotp(ctx)
  const next = authenticatorOf(uri, () => app.clock.at)
  app.later(2)
  expect(await confirmTotp(ctx, { code: next.at() })).toEqual({ recovery_codes: null })
  app.later(2)
  const enter = async (code: string) => {
    const browser = app.newBrowser()
    await app.withCode(browser, await app.withPassword(browser, user.username), code)
    return app.isLoggedIn(browser)
  }
  expect([await enter(authenticator.at()), await enter(next.at())]).toEqual([false, true])
})

test('the list says what was used when', async () => {
  const { ctx, user, recovery } = await app.protectedPerson()
  const browser = app.newBrowser()
  await app.withCode(browser, await app.withPassword(browser, user.username), recovery[0] ?? '')
  const { totp, passkeys, recovery_codes: codes } = await listFactors(ctx)
  const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(totp).toEqual({ created_at: instant, last_used_at: instant })
  expect(passkeys).toEqual([])
  expect(codes).toEqual({ left: 9, created_at: instant, last_used_at: instant })
  expect(await listFactors(await app.actingAs(await app.person()))).toEqual({
    totp: null,
    passkeys: [],
    recovery_codes: null,
  })
})

test('new recovery codes end the old ones; without a factor there are none', async () => {
  const { ctx, user, recovery } = await app.protectedPerson()
  const { recovery_codes: renewed } = await renewRecoveryCodes(ctx)
  const enter = async (code = '') => {
    const browser = app.newBrowser()
    await app.withCode(browser, await app.withPassword(browser, user.username), code)
    return app.isLoggedIn(browser)
  }
  expect([await enter(recovery[0]), await enter(renewed[0])]).toEqual([false, true])
  await expect(renewRecoveryCodes(await app.actingAs(await app.person()))).rejects.toMatchObject({ code: 'forbidden' })
})

test('without its last factor an account is entered by the password, and its recovery codes are gone', async () => {
  const { ctx, user } = await app.protectedPerson()
  await removeTotp(ctx)
  await expect(removeTotp(ctx)).rejects.toMatchObject({ code: 'not_found' })
  const browser = app.newBrowser()
  await app.logIn(browser, user.username)
  expect(await app.isLoggedIn(browser)).toBe(true)
  expect(await app.context.db.$count(recoveryCodes, eq(recoveryCodes.userId, user.id))).toBe(0)
})

test('an old key of SECRET_KEYS is needed no more once the secrets of authenticators were sealed by the new one', async () => {
  const { user, authenticator } = await app.protectedPerson()
  const { context, secretKey: old } = app
  const next = 'b'.repeat(40)
  expect(await reEncryptFactors({ ...context, keyring: new Keyring([next, old]) })).toBeGreaterThan(0)
  const keyring = new Keyring([next])
  app.later()
  const isRight = transact({ ...context, keyring }, (tx) =>
    consumeCode(tx, { userId: user.id, username: user.username }, authenticator.at()),
  )
  expect(await isRight).toBe(true)
  await reEncryptFactors({ ...context, keyring: new Keyring([old, next]) })
})

test('the operator takes all factors away, and ends the sessions', async () => {
  const { user } = await app.protectedPerson()
  await resetFactors(app.context, user.username.toUpperCase())
  expect(await app.context.db.$count(loginSessions, eq(loginSessions.userId, user.id))).toBe(0)
  const browser = app.newBrowser()
  await app.logIn(browser, user.username)
  expect(await app.isLoggedIn(browser)).toBe(true)
  await expect(resetFactors(app.context, user.username)).rejects.toMatchObject({ code: 'not_found' })
  await expect(resetFactors(app.context, 'nobody_here')).rejects.toMatchObject({ code: 'user_not_found' })
})
