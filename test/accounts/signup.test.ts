import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import { createUser, signUp } from '../../src/domain/accounts/accounts.ts'
import { callerOf } from '../../src/rest/http/caller.ts'
import { PASSWORD } from '../support/log.ts'
import { createPeopleApp, type PeopleApp } from '../support/people.ts'

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())

describe('a user is made of a name, an address and a password', () => {
  const right = { username: 'Some_One', email: 'some.one@example.com', password: PASSWORD }
  test('the name is stored in lower case, and may be taken once', async () => {
    expect((await createUser(app.context, right)).username).toBe('some_one')
    await expect(createUser(app.context, { ...right, email: 'x@example.com' })).rejects.toThrow('username: is taken')
    const other = { ...right, username: 'another', email: 'SOME.ONE@example.com' }
    expect((await createUser(app.context, other)).email, 'an address may be claimed by several').toBe(other.email)
  })

  test.each([
    ['username', 'ab'],
    ['username', 'a'.repeat(26)],
    ['username', 'with space'],
    ['username', 'ünïcode'],
    ['email', 'nobody'],
    ['email', 'a@b'],
    ['email', 'a b@example.com'],
    ['password', 'too short'],
    ['password', 'x'.repeat(257)],
  ])('the %s %j is refused', async (field, value) => {
    const wrong = createUser(app.context, { ...right, username: 'fresh', email: 'fresh@example.com', [field]: value })
    await expect(wrong).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(`^${field}: `),
    })
  })
})

describe('strangers may sign up where that is open', () => {
  test('and are logged in, on the page that they came for', async () => {
    const browser = app.newBrowser()
    const login = await browser.get(app.askPath(app.native))
    const [, link = ''] = /href="(\/signup[^"]+)"/.exec(login.text) ?? []
    const page = await browser.get(link.replaceAll('&amp;', '&'))
    const fields = { username: 'newcomer', email: 'newcomer@example.com' }
    const wrong = await browser.submit(page, '/signup', { ...fields, password: 'short' })
    expect([wrong.status, wrong.text.includes('Password must have'), wrong.text.includes('newcomer')]).toEqual([
      400,
      true,
      true,
    ])
    const done = await browser.submit(wrong, '/signup', { ...fields, password: PASSWORD })
    expect([done.status, done.location?.pathname]).toEqual([303, '/oauth/authorize'])
    expect((await browser.get(`${done.location?.pathname}${done.location?.search}`)).text).toContain('Allow')
  })

  test.each([
    ['admin', /^username: is kept/],
    ['___admin___', /^username: is kept/],
    [`${'_'.repeat(99)}admin`, /^username: must be/],
    ['admin\u0000', /^username: must be/],
    ['', /^username: must be/],
  ])('what is no username is told so before it is compared with the reserved ones: %j', async (username, message) => {
    const newcomer = { username, email: 'odd@example.com', password: PASSWORD }
    const caller = callerOf({ headers: {}, rawHeaders: [], socket: { remoteAddress: '192.0.2.7' } } as never, 0)
    await expect(signUp({ ...app.context, caller }, newcomer)).rejects.toMatchObject({
      message: expect.stringMatching(message),
    })
  })

  test('by our own form alone', async () => {
    const page = await app.newBrowser().get('/signup')
    const fields = { ...page.forms[0]?.fields, username: 'forged', email: 'f@example.com', password: PASSWORD }
    expect((await app.newBrowser().post('/signup', fields)).status).toBe(403)
  })

  test('not where it is closed', async () => {
    await using closed = await createPeopleApp({ signup: 'closed' })
    expect((await closed.newBrowser().get('/signup')).status).toBe(404)
    expect((await closed.newBrowser().get('/login')).text).not.toContain('/signup')
  })

  test('twenty an hour from one address', async () => {
    await using busy = await createPeopleApp({ counters: memoryCounters() })
    const browser = busy.newBrowser()
    const page = await browser.get('/signup')
    const tries = Array.from({ length: 21 }, () => browser.submit(page, '/signup', { username: '' }))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([...Array(20).fill(400), 429])
  })
})
