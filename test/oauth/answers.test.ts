import { eq, isNotNull } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import { applicationMembers, authorizationCodes, clients, grants } from '../../src/db/schema/index.ts'
import { findSession } from '../../src/domain/access/sessions.ts'
import { setPasswordOf } from '../../src/domain/accounts/new-password.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { deleteExpired } from '../../src/domain/expiry.ts'
import { issuePlaygroundToken } from '../../src/domain/oauth/playground-token.ts'
import { createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import type { Browser } from '../support/browser.ts'
import { CALLBACK, caller, pkce } from '../support/flows.ts'
import { PASSWORD } from '../support/log.ts'
import { createPeopleApp, type PeopleApp, parametersOf } from '../support/people.ts'
import { createSite, documentOf } from './document-site.ts'

const AUTHORIZE = '/oauth/authorize'
const allow = { decision: 'allow' }
const askedBy = (app: PeopleApp, id: string) =>
  app.askPath(
    { id, secret: undefined },
    { redirect_uri: CALLBACK, scope: 'user:read', code_challenge: pkce().challenge },
  )

test('an answer that waits for what an application says of itself gives nothing once there is a new password', async () => {
  let letGo = () => {}
  let held: Promise<void> | undefined
  await using site = await createSite(async (url) => {
    await held
    return { headers: { 'cache-control': 'no-store' }, document: documentOf(url) }
  })
  await using app = await createPeopleApp({ clientDocuments: site.documents })
  const browser = await app.loggedIn()
  const question = await browser.get(askedBy(app, site.url))
  const { asked } = site
  held = new Promise((resolve) => {
    letGo = resolve
  })
  const answered = browser.submit(question, AUTHORIZE, allow)
  while (site.asked === asked) await new Promise(setImmediate)
  await setPasswordOf(app.context, 'grace', `${PASSWORD} of her own`)
  letGo()
  const { status, location } = await answered
  expect([status, location]).toEqual([401, undefined])
  expect(await app.context.db.$count(authorizationCodes)).toBe(0)
})

test('a ticket that is sent again and again is counted as a request is', async () => {
  await using app = await createPeopleApp({ counters: memoryCounters() })
  const browser = await app.loggedIn()
  const question = await browser.get(app.askPath(app.native))
  const statuses: number[] = []
  for (let n = 0; n < 120; n++) statuses.push((await browser.submit(question, AUTHORIZE, allow)).status)
  expect([statuses.filter((status) => status === 303).length, statuses.at(-1)]).toEqual([119, 429])
})

test('an account makes known a few applications in a day that describe themselves; one that nobody allows any more is forgotten', async () => {
  await using site = await createSite()
  await using app = await createPeopleApp({ clientDocuments: site.documents, counters: memoryCounters() })
  const browser = await app.loggedIn()
  const statusFor = async (path: string) => {
    const question = await browser.get(askedBy(app, `${site.base}${path}`))
    return question.status === 200 ? (await browser.submit(question, AUTHORIZE, allow)).status : question.status
  }
  const statuses: number[] = []
  for (let n = 0; n < 51; n++) statuses.push(await statusFor(`/made-up-${n}`))
  expect([statuses.filter((status) => status === 303).length, statuses.at(-1)]).toEqual([50, 429])
  expect(await statusFor('/made-up-0'), 'one that is known').toBe(303)

  const { db } = app.context
  const [first, second] = await db.select().from(clients).where(isNotNull(clients.metadataUrl))
  const createdAt = new Date()
  const granted = { clientId: first?.id ?? '', userId: app.grace.id, scopes: ['user:read' as const], createdAt }
  const expiresAt = new Date(Date.now() + 86_400_000)
  await db.insert(grants).values({ id: newId('grant', createdAt), ...granted, expiresAt })
  await db
    .update(clients)
    .set({ disabledAt: new Date() })
    .where(eq(clients.id, second?.id ?? ''))
  await db.update(clients).set({ updatedAt: new Date(Date.now() - 29 * 86_400_000) })
  const known = () => db.$count(clients, isNotNull(clients.metadataUrl))
  await deleteExpired(app.context, new Date())
  expect(await known()).toBe(50)
  await app.elapse(clients, 'updatedAt', 2 * 86_400_000)
  await deleteExpired(app.context, new Date())
  expect(await known(), 'one with a grant, and one that is stopped').toBe(2)
  expect(await db.$count(clients, eq(clients.id, app.client.id)), 'those that are registered stay').toBe(1)
})

test('who tries an application, or has it send them their own events, has not been asked by it: that it still has to do', async () => {
  await using app = await createPeopleApp()
  const browser = await app.loggedIn()
  const session = browser.cookies.get('sid') ?? ''
  const login = await findSession(app.context, session)
  const { id: userId, username } = app.grace
  const joinedAt = app.clock.at
  await app.context.db
    .insert(applicationMembers)
    .values({ clientId: app.client.id, userId, role: 'developer', joinedAt })
  const principal = { kind: 'user', userId, username, clientId: null, scopes } as const
  const developing = {
    ...app.context,
    caller: caller({ session }),
    role: 'developer',
    principal: { ...principal, ...(login && { session: login }) },
  } as const
  const about = { application_id: app.client.id }
  await issuePlaygroundToken(developing, { ...about, stands_for: 'me' })
  const hook = { ...about, channel: 'own', url: 'http://127.0.0.1:9/hook', event_types: ['chat.message.sent'] } as const
  await createSubscriptionForApplication(developing, hook)
  for (const scope of ['user:read chat:write', 'webhook:write', 'moderation:write'])
    expect(await isAsked(app, browser, scope), scope).toBe(true)
})

/** Whether the application gets nothing before somebody is asked. */
async function isAsked(app: PeopleApp, browser: Browser, scope: string): Promise<boolean> {
  const silent = await browser.get(app.askPath(app.client, { scope, prompt: 'none' }))
  return parametersOf(silent).error === 'consent_required'
}
