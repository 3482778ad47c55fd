import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chatMessages, loginSessions } from '../../src/db/schema/index.ts'
import { exportAccount } from '../../src/domain/accounts/export/export-account.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { issueDirectly } from '../../src/domain/oauth/issue.ts'
import { createSubscription, createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import { createFactorsApp, type FactorsApp } from '../factors/people.ts'

let app: FactorsApp
beforeAll(async () => {
  app = await createFactorsApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const ask = (session: string, headers = {}) =>
  app.request('GET /export', { headers: { cookie: `sid=${session}`, ...headers } })

/** Messages of a user, written long ago or now. */
async function write(user: { id: string; username: string }, count: number) {
  const at = app.context.now()
  const of = { channelId: user.id, userId: user.id, userName: user.username, createdAt: at }
  const rows = Array.from({ length: count }, (_, n) => ({ id: newId('message', at), content: `Message ${n}`, ...of }))
  for (let done = 0; done < count; done += 500)
    await app.context.db.insert(chatMessages).values(rows.slice(done, done + 500))
}

test('an export holds what is kept of its person and nobody else, as one object of JSON, and not one secret', async () => {
  const { user, ctx, recovery, uri } = await app.protectedPerson()
  const stranger = await app.person()
  await write(stranger, 1)
  await write(user, 2)
  const owned = await createApplication(ctx, {
    name: 'Mine',
    confidential: true,
    redirect_uris: ['https://a.example/cb'],
  })
  const { key } = await createKey(ctx, { application_id: owned.id, name: 'CI' })
  const tokens = await issueDirectly(app.context, { clientId: app.client.id, userId: user.id, scopes })
  const hook = { url: 'http://127.0.0.1:9/hook?s3cret', event_types: ['chat.message.sent' as const], description: null }
  const mine = await createSubscriptionForApplication(ctx, { application_id: owned.id, ...hook })
  const acting = { ...ctx, principal: { ...ctx.principal, clientId: app.client.id, scopes } }
  const aboutMe = await createSubscription(acting, hook)

  const { status, headers, text, body } = await ask(ctx.caller.session)
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(headers.get('content-disposition')).toBe(`attachment; filename=${user.username}.json`)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body.account).toMatchObject({ id: user.id, username: user.username, recovery_codes_left: 10 })
  expect(body.applications).toMatchObject([{ id: owned.id, redirect_uris: ['https://a.example/cb'] }])
  expect(body.api_keys).toMatchObject([{ name: 'CI', last4: key.slice(-4) }])
  expect(body.webhook_subscriptions).toMatchObject([{ id: mine.id, url: hook.url }])
  const about = { id: aboutMe.id, user_id: user.id, host: '127.0.0.1:9' }
  expect(body.webhook_subscriptions_about_me).toMatchObject([about])
  expect(JSON.stringify(body.webhook_subscriptions_about_me), 'a secret of its developer’s').not.toMatch(/hook|s3cret/)
  expect(body.grants).toMatchObject([{ client_id: app.client.id }])
  expect(body.messages.map(({ content }: { content: string }) => content).toSorted()).toEqual([
    'Message 0',
    'Message 1',
  ])
  expect(body.security_log.length).toBeGreaterThan(2)
  expect(body.sessions).toHaveLength(1)
  expect(text).not.toContain(stranger.id)
  const totpSecret = new URL(uri).searchParams.get('secret') ?? ''
  const secrets = [key, owned.client_secret ?? '', tokens.access_token, tokens.refresh_token ?? '', totpSecret]
  for (const secret of [
    ...secrets,
    ...recovery,
    mine.signing_secret,
    aboutMe.signing_secret,
    ctx.caller.session,
    '$argon2',
  ])
    expect([secret, secret !== '' && text.includes(secret)]).toEqual([secret, false])
})

test('it wants a login of the last ten minutes, of our own pages, and not a token', async () => {
  const user = await app.person()
  const { caller } = await app.actingAs(user)
  const { access_token: token } = await issueDirectly(app.context, { clientId: app.client.id, userId: user.id, scopes })
  expect((await app.request('GET /export')).status).toBe(401)
  expect((await app.request('GET /export', { token })).status).toBe(403)
  expect((await ask(caller.session, { 'sec-fetch-site': 'cross-site' })).status).toBe(401)
  await app.elapse(loginSessions, 'authenticatedAt', 10 * 60_000)
  const { status, body } = await ask(caller.session)
  expect([status, body.error.code]).toEqual([403, 'step_up_required'])
})

test('it is read page by page and waits for its reader: ten thousand messages are never held at once', async () => {
  const user = await app.person()
  const ctx = await app.actingAs(user)
  await write(user, 10_000)
  const pieces: string[] = []
  for await (const piece of exportAccount(ctx)) pieces.push(piece)
  expect(JSON.parse(pieces.join('')).messages).toHaveLength(10_000)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(150_000)
  const begun = exportAccount(ctx)
  await begun.next()
  await app.context.db.delete(chatMessages).where(eq(chatMessages.userId, user.id))
  let rest = ''
  for await (const piece of begun) rest += piece
  expect(rest, 'nothing was read before it was wanted').toContain('"messages":[]')
})

test('who exports too often is told to wait, and only they', async () => {
  const { memoryCounters } = await import('../../src/counters/counters.ts')
  await using limited = await createFactorsApp({ counters: memoryCounters() })
  const [user, other] = [await limited.person(), await limited.person()]
  const [mine, theirs] = [await limited.actingAs(user), await limited.actingAs(other)]
  const statusFor = async ({ caller }: typeof mine) =>
    (await limited.request('GET /export', { headers: { cookie: `sid=${caller.session}` } })).status
  for (let n = 0; n < 5; n++) expect(await statusFor(mine)).toBe(200)
  expect(await statusFor(mine)).toBe(429)
  expect(await statusFor(theirs)).toBe(200)
})
