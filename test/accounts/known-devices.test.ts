import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { mails, users } from '../../src/db/schema/index.ts'
import { markDevice, rememberDevice } from '../../src/domain/accounts/known-devices.ts'
import { setPasswordOf } from '../../src/domain/accounts/new-password.ts'
import { Keyring } from '../../src/domain/core/keyring.ts'
import { sendDueMails } from '../../src/domain/mail/send-due.ts'
import { createFactorsApp, type FactorsApp } from '../factors/people.ts'
import { PASSWORD } from '../support/log.ts'

let app: FactorsApp
beforeAll(async () => {
  app = await createFactorsApp()
  await confirm(app.grace.id)
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => app.context.db.delete(mails))

const confirm = (id: string, at: Date | null = new Date()) =>
  app.context.db.update(users).set({ emailVerifiedAt: at }).where(eq(users.id, id))
const marked = (id: string) => ({ id, forgotten_at: null })
const told = () => app.context.db.select().from(mails).where(eq(mails.kind, 'new_device'))

test('a login with a browser that the account does not know is told by mail, once for each browser', async () => {
  const browser = app.newBrowser()
  await app.logIn(browser)
  await sendDueMails(app.context)
  const { to, text } = app.sentMails.at(-1) ?? {}
  expect([to, text?.subject]).toEqual(['grace@example.com', 'A new device logged in'])
  expect(text?.paragraphs.join(' ')).toMatch(/Where: 127\.0\.0\.1\. With: an unknown program\./)

  browser.cookies.delete('sid')
  await app.logIn(browser)
  expect(await told()).toHaveLength(1)
  await app.logIn(app.newBrowser())
  expect(await told()).toHaveLength(2)
})

test('the cookie of a browser that is known stays for 400 days, and names nobody', async () => {
  const page = await app.logIn(app.newBrowser())
  const [cookie = ''] = page.headers.getSetCookie().filter((one) => one.startsWith('devices='))
  expect(cookie).toMatch(/^devices=[\w-]{22}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=34560000$/)
})

test('a cookie that was made up, or belongs to another account, makes no browser known', async () => {
  const foreign = markDevice(app.context.keyring, marked((await app.user('bob')).id))
  for (const devices of [foreign, 'x', '', '.', 'A'.repeat(22), randomBytes(16).toString('base64url')]) {
    await app.context.db.delete(mails)
    const browser = app.newBrowser()
    browser.cookies.set('devices', devices)
    await app.logIn(browser)
    expect([devices, (await told()).length]).toEqual([devices, 1])
    expect(browser.cookies.get('devices')?.split('.')).toHaveLength(
      devices === foreign || devices.length === 22 ? 2 : 1,
    )
  }
})

test('a sign-up tells nothing, and its browser is known', async () => {
  const browser = app.newBrowser()
  const fields = { username: 'newcomer', email: 'newcomer@example.com', password: PASSWORD }
  expect((await browser.submit(await browser.get('/signup'), '/signup', fields)).status).toBe(303)
  await app.context.db.update(users).set({ emailVerifiedAt: new Date() }).where(eq(users.username, 'newcomer'))
  browser.cookies.delete('sid')
  expect((await app.logIn(browser, 'newcomer')).status).toBe(303)
  expect(await told()).toHaveLength(0)
})

test('nothing is told of a wrong password, nor to an address that is only claimed', async () => {
  await app.logIn(app.newBrowser(), 'grace', 'wrong password')
  await confirm(app.grace.id, null)
  await app.logIn(app.newBrowser())
  await confirm(app.grace.id)
  expect(await told()).toHaveLength(0)
})

test('a new password forgets every browser, that of a thief as well: the next login there is told', async () => {
  const user = await app.person()
  await confirm(user.id)
  const [thief, owner] = [app.newBrowser(), app.newBrowser()]
  const enter = async (browser: typeof thief, password = PASSWORD) => {
    browser.cookies.delete('sid')
    expect((await app.logIn(browser, user.username, password)).status).toBe(303)
    return (await told()).length
  }
  expect([await enter(thief), await enter(owner), await enter(thief)]).toEqual([1, 2, 2])
  const session = owner.cookies.get('sid') ?? ''
  expect(await rememberDevice(app.context, session)).toBe(owner.cookies.get('devices'))

  const password = 'the pass phrase after it'
  await setPasswordOf(app.context, user.username, password)
  expect(await rememberDevice(app.context, session), 'by a session that ended with it').toBeUndefined()
  expect([await enter(thief, password), await enter(owner, password), await enter(thief, password)]).toEqual([3, 4, 4])
})

test('where there is a second factor, only a login that has shown it is told', async () => {
  const { user, authenticator } = await app.protectedPerson()
  await confirm(user.id)
  const browser = app.newBrowser()
  const asked = await app.withPassword(browser, user.username)
  expect([await told(), browser.cookies.has('devices')]).toEqual([[], false])
  app.later()
  await app.withCode(browser, asked, authenticator.at())
  expect(await app.isLoggedIn(browser)).toBe(true)
  expect([(await told()).length, browser.cookies.has('devices')]).toEqual([1, true])
})

test('a browser is known for the ten accounts that were entered last, and stays so under a new key', () => {
  const [old, current] = ['o'.repeat(40), 'n'.repeat(40)]
  const before = new Keyring([old])
  let devices: string | undefined
  for (let n = 0; n < 12; n++) devices = markDevice(before, marked(`usr_${n}`), devices)
  expect(devices?.split('.')).toHaveLength(10)
  expect(devices).toContain(markDevice(before, marked('usr_2')))
  expect(devices).not.toContain(markDevice(before, marked('usr_1')))

  const renewed = markDevice(new Keyring([current, old]), marked('usr_11'), devices)
  expect(renewed.split('.')).toHaveLength(10) // the mark under the old key made room for the one under the new
  expect(renewed).not.toContain(markDevice(before, marked('usr_11')))
})
