import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { mailLinks, mails, users } from '../../src/db/schema/index.ts'
import { verifyAddressOf } from '../../src/domain/accounts/addresses.ts'
import { setPasswordOf } from '../../src/domain/accounts/new-password.ts'
import { sendDueMails } from '../../src/domain/mail/send-due.ts'
import type { Browser, Page } from '../support/browser.ts'
import { PASSWORD } from '../support/log.ts'
import { createPeopleApp, type PeopleApp } from '../support/people.ts'

const OTHER = 'another long pass phrase'
let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => app.context.db.delete(mails))

let n = 0
/** Somebody who has just signed up, logged in. */
async function newcomer(email?: string) {
  const username = `person_${++n}`
  const browser = app.newBrowser()
  const address = email ?? `${username}@example.org`
  const page = await browser.get('/signup')
  const { status } = await browser.submit(page, '/signup', { username, email: address, password: PASSWORD })
  expect(status).toBe(303)
  return { username, address, browser }
}
/** The paths of the links that were sent to an address since the last look, oldest first. */
async function linksTo(address: string): Promise<string[]> {
  while ((await sendDueMails(app.context)) > 0);
  const found = app.sentMails.filter(({ to }) => to === address)
  for (const mail of found) app.sentMails.splice(app.sentMails.indexOf(mail), 1)
  return found.flatMap(({ text }) => (text.link?.path.includes('token=') ? [text.link.path] : []))
}
const subjectsTo = async (address: string) => {
  while ((await sendDueMails(app.context)) > 0);
  return app.sentMails.filter(({ to }) => to === address).map(({ text }) => text.subject)
}
const press = async (browser: Browser, link: string, fields = {}) => {
  const page = await browser.get(link)
  const action = link.replace(/\?.*/, '')
  return page.forms.length === 0 ? page : browser.submit(page, action, fields)
}
async function me(browser: Browser) {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const { status, body } = await app.request('GET /trpc/account.me?input={}', { headers: { cookie } })
  return { status, ...body?.result?.data }
}
async function forgot(name: string): Promise<Page> {
  const browser = app.newBrowser()
  return browser.submit(await browser.get('/forgot'), '/forgot', { username: name })
}
const canLogIn = async (username: string, password: string) =>
  (await app.logIn(app.newBrowser(), username, password)).status === 303

test('an address is confirmed by the button behind its link, once; to open the link confirms nothing', async () => {
  const { browser, address, username } = await newcomer()
  const [link = ''] = await linksTo(address)
  const shown = await browser.get(link)
  expect([shown.status, shown.text.includes(address), shown.headers.get('referrer-policy')]).toEqual([
    200,
    true,
    'no-referrer',
  ])
  expect(await me(browser)).toMatchObject({ email: address, email_verified: false })
  expect((await press(app.newBrowser(), link)).status).toBe(200)
  expect(await me(browser)).toMatchObject({ email: address, email_verified: true })
  expect((await press(app.newBrowser(), link)).status).toBe(400)
  expect(await canLogIn(address.toUpperCase(), PASSWORD)).toBe(true)
  expect(await canLogIn(username.toUpperCase(), PASSWORD)).toBe(true)
})

test('two may claim an address, one can confirm it: the other loses the claim, its link and nothing else', async () => {
  const [first, second] = [await newcomer('shared@example.org'), await newcomer('SHARED@example.org')]
  const [a = ''] = await linksTo(first.address)
  const [b = ''] = await linksTo(second.address)
  expect(await canLogIn('shared@example.org', PASSWORD), 'a claim opens nothing').toBe(false)
  await press(first.browser, a)
  expect(await me(first.browser)).toMatchObject({ email: 'shared@example.org', email_verified: true })
  expect(await me(second.browser)).toMatchObject({ status: 200, email: '', email_verified: false })
  expect((await press(second.browser, b)).status).toBe(400)
  const third = await newcomer('shared@example.org')
  expect(await linksTo('shared@example.org'), 'whoever has it is told, and nobody gets a link').toEqual([])
  expect((await me(third.browser)).email_verified).toBe(false)
})

test('of two who confirm one address at the same moment one has it', async () => {
  const pair = [await newcomer('race@example.org'), await newcomer('race@example.org')]
  const links = await linksTo('race@example.org')
  await Promise.all(links.map((link) => press(app.newBrowser(), link)))
  const states = await Promise.all(pair.map(async ({ browser }) => (await me(browser)).email_verified))
  expect(states.toSorted()).toEqual([false, true])
})

test('a confirmed address stays until the new one is confirmed, and is told of the change', async () => {
  const { browser, address, username } = await newcomer()
  await press(browser, (await linksTo(address))[0] ?? '')
  await forgot(username)
  await expect.poll(() => app.context.db.select().from(mailLinks).where(eq(mailLinks.purpose, 'reset'))).toHaveLength(1)
  const [reset = ''] = await linksTo(address)
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const body = { email: 'new@example.org', password: PASSWORD }
  const { status } = await app.request('POST /trpc/account.changeEmail', { headers: { cookie }, body })
  expect(status).toBe(200)
  expect(await me(browser)).toMatchObject({ email: address, email_verified: true, pending_email: 'new@example.org' })
  expect((await app.newBrowser().get(reset)).status, 'the link to a new password is dead').toBe(400)
  expect(await subjectsTo(address)).toContain('The address of your account is being changed')
  const [link = ''] = await linksTo('new@example.org')
  await press(app.newBrowser(), link)
  expect(await me(browser)).toMatchObject({ email: 'new@example.org', email_verified: true, pending_email: null })
})

test('who forgot a password gets a link by name or address; the answer is the same for everybody', async () => {
  const { address, username } = await newcomer()
  await linksTo(address)
  const answers = [
    await forgot(username),
    await forgot(address),
    await forgot('nobody_here'),
    await forgot('nobody@example.org'),
  ]
  const plain = ({ status, text }: Page) => [status, text.replace(/value="[^"]*"/g, '')]
  for (const answer of answers) expect(plain(answer)).toEqual(plain(answers[0] as Page))
  await expect.poll(() => app.context.db.select().from(mails)).toHaveLength(3)
  expect(await linksTo(address)).toHaveLength(2)
})

test('a new password by a link ends sessions and the other links, works once, and a weak one leaves the link', async () => {
  const { browser, address, username } = await newcomer()
  await linksTo(address)
  await forgot(username)
  await forgot(username)
  await expect.poll(() => app.context.db.select().from(mails)).toHaveLength(3)
  const [link = '', second = ''] = await linksTo(address)
  const weak = await press(app.newBrowser(), link, { new_password: 'short' })
  expect([weak.status, (await me(browser)).status]).toEqual([400, 200])
  const [one, two] = await Promise.all(
    [link, link].map((each) => press(app.newBrowser(), each, { new_password: OTHER })),
  )
  expect([one?.status, two?.status].toSorted()).toEqual([200, 400])
  expect((await me(browser)).status).toBe(401)
  expect([await canLogIn(username, PASSWORD), await canLogIn(username, OTHER)]).toEqual([false, true])
  expect((await app.newBrowser().get(second)).status).toBe(400)
  expect(await subjectsTo(address)).toContain('Your password was changed')
})

test('links end: to confirm after a day, to set a password after half an hour', async () => {
  const { address, username } = await newcomer()
  await forgot(username)
  await expect.poll(() => app.context.db.select().from(mails)).toHaveLength(2)
  const [verify = '', reset = ''] = await linksTo(address)
  await app.elapse(mailLinks, 'expiresAt', 29 * 60_000)
  expect((await app.newBrowser().get(reset)).status).toBe(200)
  await app.elapse(mailLinks, 'expiresAt', 60_000)
  expect((await press(app.newBrowser(), reset, { new_password: OTHER })).status).toBe(400)
  expect((await app.newBrowser().get(verify)).status).toBe(200)
  await app.elapse(mailLinks, 'expiresAt', 23.5 * 3_600_000)
  expect((await app.newBrowser().get(verify)).status).toBe(400)
})

test('a link to one thing does no other, and its token is nowhere in the database', async () => {
  const { address } = await newcomer()
  const [link = ''] = await linksTo(address)
  const token = link.replace(/.*token=/, '')
  expect((await app.newBrowser().get(`/reset?token=${token}`)).status).toBe(400)
  const kept = await app.context.db.select().from(mailLinks)
  expect(JSON.stringify([kept, await app.context.db.select().from(mails)])).not.toContain(token)
})

test('Host and X-Forwarded-Host name no link, and no page of a link is sent elsewhere', async () => {
  const { address, username } = await newcomer()
  await linksTo(address)
  const browser = app.newBrowser()
  const page = await browser.get('/forgot', { 'x-forwarded-host': 'evil.example' })
  await browser.post('/forgot', { ...page.forms[0]?.fields, username }, { 'x-forwarded-host': 'evil.example' })
  await expect.poll(() => app.context.db.select().from(mails)).toHaveLength(2)
  expect((await linksTo(address))[0]).toMatch(/^\/reset\?token=/)
})

test('the operator confirms an address and sets a password', async () => {
  const { username, address, browser } = await newcomer()
  await verifyAddressOf(app.context, username)
  expect(await me(browser)).toMatchObject({ email: address, email_verified: true })
  await setPasswordOf(app.context, username, OTHER)
  expect((await me(browser)).status).toBe(401)
  expect(await canLogIn(username, OTHER)).toBe(true)
  expect(
    (await app.context.db.select().from(users).where(eq(users.username, username)))[0]?.emailVerifiedAt,
  ).not.toBeNull()
})

test('to sign up while logged in ends the session before', async () => {
  const { browser } = await newcomer()
  const old = app.newBrowser()
  for (const [name, value] of browser.cookies) old.cookies.set(name, value)
  const page = await browser.get('/signup')
  await browser.submit(page, '/signup', { username: 'second_one', email: 'second@example.org', password: PASSWORD })
  expect([(await me(browser)).username, (await me(old)).status]).toEqual(['second_one', 401])
})
