import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { users } from '../../src/db/schema/index.ts'
import { createUser } from '../../src/domain/accounts/accounts.ts'
import { CALLBACK } from '../support/flows.ts'
import { PASSWORD } from '../support/log.ts'
import { createPeopleApp, type PeopleApp, parametersOf } from '../support/people.ts'

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const WRONG = { scope: { scope: 'no:such' }, pkce: { code_challenge: undefined }, type: { response_type: 'token' } }
const ownedBy = (owner: { id: string }) => app.newClient({ owner, redirectUris: [CALLBACK] })

test('E01 before anybody is logged in, an error of a stranger’s application is a page with a link and no redirect', async () => {
  const client = await ownedBy(app.grace)
  for (const changes of Object.values(WRONG)) {
    const page = await app.newBrowser().get(app.askPath(client, changes))
    expect([page.status, page.location]).toEqual([400, undefined])
    expect(page.text).toContain(`<b>client.example</b>: <code>${CALLBACK}</code>`)
    const [, link = ''] = /href="(https:\/\/client[^"]*)"/.exec(page.text) ?? []
    const back = new URL(link.replaceAll('&amp;', '&'))
    expect([back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual(['st 1/+&=?', app.base])
    expect(back.searchParams.get('error')).toMatch(/^(invalid|unsupported)_/)
  }
  const silent = await app.newBrowser().get(app.askPath(client, { prompt: 'none' }))
  expect([silent.status, silent.location]).toEqual([400, undefined])
})

test('E01 in a frame, where a redirect leads nobody anywhere, an application may ask silently', async () => {
  const client = await ownedBy(app.grace)
  const page = await app.newBrowser().get(app.askPath(client, { prompt: 'none' }), { 'sec-fetch-dest': 'iframe' })
  expect(parametersOf(page).error).toBe('login_required')
  const wrong = await app.newBrowser().get(app.askPath(client, WRONG.scope), { 'sec-fetch-dest': 'iframe' })
  expect(wrong.location).toBeUndefined()
})

test('E01 who wants no page gets the envelope', async () => {
  const client = await ownedBy(app.grace)
  const { status, body } = await app.request(`GET ${app.askPath(client, WRONG.scope)}`)
  expect([status, body.error.code]).toEqual([400, 'invalid_request'])
})

test('E02 after the login errors go back by themselves, and those of the operator’s applications do before', async () => {
  const client = await ownedBy(app.grace)
  const page = await (await app.loggedIn()).get(app.askPath(client, WRONG.scope))
  expect(parametersOf(page)).toMatchObject({ error: 'invalid_scope', state: 'st 1/+&=?', iss: app.base })
  const operators = await app.newBrowser().get(app.askPath(app.client, WRONG.scope))
  expect(parametersOf(operators).error).toBe('invalid_scope')
})

test('E02 an owner with a verified address is vouched for', async () => {
  const person = { username: 'verified', email: 'verified@example.com', password: PASSWORD }
  const owner = await createUser(app.context, person)
  const client = await ownedBy(owner)
  const ask = () => app.newBrowser().get(app.askPath(client, WRONG.scope))
  expect((await ask()).status).toBe(400)
  await app.context.db.update(users).set({ emailVerifiedAt: new Date() }).where(eq(users.id, owner.id))
  expect(parametersOf(await ask()).error).toBe('invalid_scope')
})

test('E02 those of the demonstration are told that somebody has to log in, and nothing else', async () => {
  const person = { username: 'demo_owner', email: 'demo_owner@demo.example', password: PASSWORD }
  const owner = await createUser(app.context, person)
  const client = await ownedBy(owner)
  const ask = () => app.newBrowser().get(app.askPath(client, { prompt: 'none' }))
  expect((await ask()).status, 'anybody can say that their address is one of these').toBe(400)
  await app.context.db.update(users).set({ emailVerifiedAt: app.context.now() }).where(eq(users.id, owner.id))
  expect(parametersOf(await ask()).error).toBe('login_required')
  expect((await app.newBrowser().get(app.askPath(client, WRONG.scope))).status).toBe(400)
})
