import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditLog, loginSessions, webhookSubscriptions } from '../../src/db/schema/index.ts'
import { stepUp, stepUpWays } from '../../src/domain/accounts/step-up.ts'
import { appRouter } from '../../src/routers/index.ts'
import type { OperationMeta } from '../../src/routers/operation-meta.ts'
import { PASSWORD } from '../support/log.ts'
import { createFactorsApp, type FactorsApp } from './people.ts'

let app: FactorsApp
beforeAll(async () => {
  app = await createFactorsApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** A call of the console's, by the session of a context. */
async function call(secret: string, name: string, input: object = {}) {
  const { status, body } = await app.request(`POST /trpc/${name}`, {
    body: input,
    headers: { cookie: `sid=${secret}`, origin: app.base },
  })
  return status === 200 ? 'done' : (body.error.data.problem.code as string)
}
/** The one application of a session's user. */
async function applicationOf(secret: string) {
  const headers = { cookie: `sid=${secret}`, origin: app.base }
  const { body } = await app.request('GET /trpc/applications.list?input={}', { headers })
  return body.result.data.items[0] as { id: string; name: string }
}

type Procedure = { _def: { type: string; meta?: OperationMeta } }
const changes = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>).flatMap(
  ([name, { _def }]) =>
    _def.type === 'mutation' && _def.meta?.access?.kind === 'session' ? [[name, _def.meta.access] as const] : [],
)
const guarded = changes.filter(([, { needs }]) => needs.includes('stepUp')).map(([name]) => name)

/** What a session that was left open may do all the same. Nothing of it opens anything or shows a secret, and what is gone can be had again. */
const leftAlone: Record<string, string> = {
  'account.grants.revoke': 'ends an access; the application asks again',
  'account.notifications.change': 'is switched back',
  'account.passkeys.rename': 'is a name',
  'account.resendVerification': 'mails a link to an address that was claimed already',
  'account.sessions.revoke': 'ends an access; its owner logs in again',
  'account.stepUp.prove': 'is the proof',
  'account.webhooks.delete': 'ends what hears of the account; its application makes another',
  'applications.keys.revoke': 'ends an access: whoever fears for a key ends it at once; another is made',
  'applications.secrets.revoke': 'ends an access, as that of a key',
  'deliveries.redeliver': 'sends to where it was sent before',
  'deliveries.replay': 'sends to where it was sent before',
  'doctor.credential': 'tells of a credential what it is, to whoever has it',
  'doctor.signature': 'changes nothing',
  'overlays.revoke': 'ends an access, as that of a key',
  'people.accept': 'joins by a link that only the mailbox has; the member leaves again',
  'people.decline': 'is asked again',
  'people.invitation': 'changes nothing',
  'people.leave': 'ends the own access alone; whoever owns the application invites again',
  'people.revokeInvitation': 'ends an access; the owner invites again',
  'streamKeys.revoke': 'ends an access, as that of a key',
  'webhooks.disable': 'is enabled again',
  'webhooks.enable': 'sends to where it was sent before',
  'webhooks.test': 'sends a sample to where it was sent before',
}

const application = { name: 'Mine', confidential: true, redirect_uris: ['https://a.example/cb'] }

test('whatever a session may change wants a login of the last ten minutes, or stands above with the reason why it does not', () => {
  const others = changes.map(([name]) => name).filter((name) => !guarded.includes(name))
  expect(others.toSorted()).toEqual(Object.keys(leftAlone))
})

test('what a session left open must not do wants a login of the last ten minutes, and nothing is changed', async () => {
  const user = await app.person()
  const { caller } = await app.actingAs(user)
  expect(await call(caller.session, 'applications.create', application)).toBe('done')
  await app.elapse(loginSessions, 'authenticatedAt', 10 * 60_000)
  for (const name of guarded) expect(await call(caller.session, name), name).toBe('step_up_required')
  expect(await app.context.db.$count(auditLog, eq(auditLog.userId, user.id))).toBeLessThan(4)
  expect(
    (await app.request('GET /trpc/account.me?input={}', { headers: { cookie: `sid=${caller.session}` } })).status,
  ).toBe(200)

  expect(await call(caller.session, 'account.stepUp.prove', { password: 'wrong password' })).toBe('invalid_request')
  expect(await call(caller.session, 'account.stepUp.prove', {})).toBe('invalid_request')
  expect(await call(caller.session, 'applications.create', application)).toBe('step_up_required')
  expect(await call(caller.session, 'account.stepUp.prove', { password: PASSWORD })).toBe('done')
  expect(await call(caller.session, 'applications.create', application)).toBe('done')
})

test('a session left open sends nothing of a webhook elsewhere, and nothing else there: what it changes besides is not asked', async () => {
  const user = await app.person()
  const { caller } = await app.actingAs(user)
  await call(caller.session, 'applications.create', application)
  const { id: application_id } = await applicationOf(caller.session)
  const kept = { url: 'https://receiver.example/hook', event_types: ['chat.message.sent'] }
  expect(await call(caller.session, 'webhooks.create', { application_id, ...kept })).toBe('done')
  const webhook = async () => (await app.context.db.select().from(webhookSubscriptions))[0] ?? { id: '' }
  const before = await webhook()
  const { id } = before
  await app.elapse(loginSessions, 'authenticatedAt', 10 * 60_000)
  const elsewhere = { url: 'https://evil.example/hook' }
  const more = { event_types: ['chat.message.sent', 'livestream.started'] }
  for (const change of [elsewhere, more, { ...elsewhere, ...more }, { ...elsewhere, description: 'x' }])
    expect(await call(caller.session, 'webhooks.update', { id, ...change })).toBe('step_up_required')
  expect(await webhook()).toEqual(before)
  expect(await call(caller.session, 'webhooks.update', { id, ...kept, description: 'Of the bot' })).toBe('done')
  expect(await call(caller.session, 'deliveries.replay', { subscription: id, only: 'all' })).toBe('done')
  expect(await call(caller.session, 'account.stepUp.prove', { password: PASSWORD })).toBe('done')
  expect(await call(caller.session, 'webhooks.update', { id, ...elsewhere, ...more })).toBe('done')
})

test('where there is a second factor the password is not enough, and a code counts once', async () => {
  const { ctx, user, authenticator, recovery } = await app.protectedPerson()
  const { session } = ctx.caller
  await app.elapse(loginSessions, 'authenticatedAt', 10 * 60_000)
  expect(await stepUpWays(ctx)).toEqual({ password: false, code: true, passkey: null })
  await expect(stepUp(ctx, { password: PASSWORD })).rejects.toThrow('second factor')
  app.later()
  const code = authenticator.at()
  await stepUp(ctx, { code })
  expect(await call(session, 'account.factors.renewRecoveryCodes')).toBe('done')
  await expect(stepUp(ctx, { code })).rejects.toMatchObject({ code: 'invalid_request' })
  await expect(stepUp(ctx, { code: recovery[0] ?? '' })).rejects.toMatchObject({ code: 'invalid_request' })
  const stranger = await app.protectedPerson()
  await expect(stepUp(ctx, { code: stranger.recovery[0] ?? '' })).rejects.toMatchObject({ code: 'invalid_request' })
  expect(user.id).not.toBe(stranger.user.id)
})

test('who has lost their authenticator proves who they are by a recovery code, and takes it away', async () => {
  const { ctx, user, recovery } = await app.protectedPerson()
  const { session } = ctx.caller
  await app.elapse(loginSessions, 'authenticatedAt', 10 * 60_000)
  expect(await call(session, 'account.totp.remove')).toBe('step_up_required')
  expect(await call(session, 'account.stepUp.prove', { code: recovery[0] })).toBe('done')
  expect(await call(session, 'account.totp.remove')).toBe('done')
  const browser = app.newBrowser()
  await app.logIn(browser, user.username)
  expect(await app.isLoggedIn(browser), 'by the password alone').toBe(true)
})

test('one session proves nothing for another one', async () => {
  const user = await app.person()
  const [one, other] = [await app.actingAs(user), await app.actingAs(user)]
  await app.elapse(loginSessions, 'authenticatedAt', 10 * 60_000)
  await stepUp(one, { password: PASSWORD })
  expect(await call(one.caller.session, 'streamKeys.roll')).toBe('done')
  expect(await call(other.caller.session, 'streamKeys.roll')).toBe('step_up_required')
})

test('tokens are never asked', async () => {
  const { id: client_id, secret: client_secret = '' } = app.client
  const granted = await app.token({
    grant_type: 'client_credentials',
    client_id,
    client_secret,
    scope: 'webhook:write',
  })
  const { access_token: token } = granted.body
  const { body } = await app.request('POST /trpc/webhooks.delete', { token, body: { id: 'sub_x' } })
  expect(body.error.data.problem.code).toBe('subscription_not_found')
})

test('where everybody needs a second factor a session without one can only set one up', async () => {
  app.context.secondFactor = 'all'
  const user = await app.person()
  const { caller } = await app.actingAs(user)
  expect(await call(caller.session, 'applications.create', application)).toBe('second_factor_required')
  expect(await call(caller.session, 'livestreams.end')).toBe('second_factor_required')
  const browser = app.newBrowser()
  browser.cookies.set('sid', caller.session)
  const asked = await browser.get(app.askPath(app.client))
  expect([asked.status, asked.text.includes('second factor')]).toEqual([403, true])
  expect(await call(caller.session, 'account.totp.start')).toBe('done')
  const { ctx } = await app.protectedPerson()
  expect(await call(ctx.caller.session, 'applications.create', application)).toBe('done')
  app.context.secondFactor = 'off'
})

test('where developers need one, an application is made only with it, and of an older one nothing is changed without', async () => {
  const { caller } = await app.actingAs(await app.person())
  expect(await call(caller.session, 'applications.create', application)).toBe('done')
  const { id } = await applicationOf(caller.session)
  const hook = { application_id: id, url: 'http://127.0.0.1:9/', event_types: ['chat.message.sent'] }
  expect(await call(caller.session, 'webhooks.create', hook)).toBe('done')
  const [subscription] = await app.context.db
    .select()
    .from(webhookSubscriptions)
    .where(eq(webhookSubscriptions.clientId, id))
  const ofHook = { id: subscription?.id ?? '' }
  app.context.secondFactor = 'developers'
  for (const [name, input] of [
    ['applications.update', { id, name: 'Other' }],
    ['applications.rotateSecret', { id }],
    ['applications.issueToken', { application_id: id, stands_for: 'me' }],
    ['applications.keys.create', { application_id: id, name: 'x' }],
    ['applications.delete', { id }],
    ['webhooks.create', hook],
    ['webhooks.disable', ofHook],
    ['webhooks.rotateSecret', ofHook],
    ['webhooks.update', { ...ofHook, description: 'x' }],
    ['webhooks.delete', ofHook],
    ['people.invite', { application_id: id, email: 'x@example.org', role: 'viewer' }],
  ] as const)
    expect(await call(caller.session, name, input), name).toBe('second_factor_required')
  expect(await applicationOf(caller.session)).toMatchObject({ id, name: 'Mine' })
  expect(await call(caller.session, 'applications.create', application)).toBe('second_factor_required')
  expect(await call(caller.session, 'streamKeys.roll')).toBe('done')
  const { ctx } = await app.protectedPerson()
  expect(await call(ctx.caller.session, 'applications.create', application)).toBe('done')
  app.context.secondFactor = 'off'
})
