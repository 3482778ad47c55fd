import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  auditLog,
  bans,
  chatMessages,
  clients,
  grants,
  livestreams,
  mails,
  overlayKeys,
  users,
  webhookSubscriptions,
} from '../../src/db/schema/index.ts'
import { createUser } from '../../src/domain/accounts/accounts.ts'
import { closeOwnAccount, listClosingEffects } from '../../src/domain/accounts/closing/close.ts'
import { eraseClosed } from '../../src/domain/accounts/closing/erase.ts'
import { reopenUser } from '../../src/domain/accounts/closing/reopen.ts'
import { logIn } from '../../src/domain/accounts/login.ts'
import { enableUser } from '../../src/domain/accounts/suspension.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { sendMessage } from '../../src/domain/chat.ts'
import { apiScopes, scopes } from '../../src/domain/core/scopes.ts'
import { deleteExpired } from '../../src/domain/expiry.ts'
import { endLivestream, startLivestream } from '../../src/domain/livestreams.ts'
import { sendDueMails } from '../../src/domain/mail/send-due.ts'
import { createBan } from '../../src/domain/moderation.ts'
import { issueDirectly } from '../../src/domain/oauth/issue.ts'
import { createOverlay } from '../../src/domain/overlays.ts'
import { createSubscription, createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import { createFactorsApp, type FactorsApp } from '../factors/people.ts'
import { PASSWORD } from '../support/log.ts'

let app: FactorsApp
beforeAll(async () => {
  app = await createFactorsApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const DAY_MS = 86_400_000
const statusOf = async (path: string, token: string) => (await app.request(`GET ${path}`, { token })).status
const read = ['channel:read', 'chat:read'] as const

const tokenOf = async ({ id: userId }: { id: string }, client = app.client) =>
  (await issueDirectly(app.context, { clientId: client.id, userId, scopes: apiScopes })).access_token

/** Somebody who streams, writes, owns an application, and has allowed another. */
async function busyPerson() {
  const user = await app.person()
  const ctx = await app.actingAs(user)
  const owned = await createApplication(ctx, {
    name: 'Mine',
    confidential: true,
    redirect_uris: ['https://a.example/cb'],
  })
  const { key } = await createKey(ctx, { application_id: owned.id, name: 'CI', scopes: [...read] })
  const other = await app.newClient()
  const token = await tokenOf(user, other)
  const acting = { ...ctx, principal: { ...ctx.principal, clientId: other.id, scopes } }
  const hook = { url: 'http://127.0.0.1:9/hook', event_types: ['livestream.ended' as const] }
  await createSubscription(acting, hook)
  await createSubscriptionForApplication(ctx, { application_id: owned.id, description: null, ...hook })
  return { user, ctx, owned, key, token, acting }
}

test('a closed account is unseen and opens nothing at once: session, token, key, channel, stream, webhooks', async () => {
  const { user, ctx, owned, key, token, acting } = await busyPerson()
  await startLivestream(acting, { title: 'Live' })
  const stranger = await tokenOf(app.grace)
  expect(await listClosingEffects(ctx)).toEqual({ applications: [{ id: owned.id, name: 'Mine', heir: null }] })
  expect(await statusOf('/v1/channels/', key)).toBe(200)

  const { erase_at } = await closeOwnAccount(ctx, { username: user.username.toUpperCase() })
  expect(Date.parse(erase_at) - Date.now()).toBeGreaterThan(29.9 * DAY_MS)
  const headers = { cookie: `sid=${ctx.caller.session}` }
  expect((await app.request('GET /trpc/account.me?input={}', { headers })).status).toBe(401)
  expect(await statusOf('/v1/channels/', token)).toBe(401)
  expect(await statusOf('/v1/channels/', key)).toBe(401)
  expect(await statusOf(`/v1/channels/${user.username}`, stranger)).toBe(404)
  expect((await app.request('GET /v1/livestreams/', { token: stranger })).body.data).toEqual([])
  const ask = { grant_type: 'client_credentials', client_id: owned.id, client_secret: owned.client_secret }
  expect((await app.request('POST /oauth/token', { body: ask })).status).toBe(401)
  const left = await app.context.db.select({ status: webhookSubscriptions.status }).from(webhookSubscriptions)
  expect(left.map(({ status }) => status)).toEqual(['disabled', 'disabled'])
  expect(await app.context.db.$count(grants, eq(grants.userId, user.id))).toBe(1)
  const [grant] = await app.context.db.select().from(grants).where(eq(grants.userId, user.id))
  expect(grant?.revokedAt).not.toBeNull()

  while ((await sendDueMails(app.context)) > 0);
  const told = app.sentMails.findLast(({ text }) => text.subject === 'Your account is deleted')
  expect(told?.to).toBe(`${user.username}@example.com`)
  expect(told?.text.paragraphs.join(' ')).toContain(erase_at.slice(0, 10))
  await expect(closeOwnAccount(ctx, { username: user.username })).rejects.toMatchObject({ code: 'user_not_found' })
})

test('the name has to be typed; whoever types another changes nothing', async () => {
  const user = await app.person()
  const ctx = await app.actingAs(user)
  for (const username of ['', 'grace', `${user.username}x`])
    await expect(closeOwnAccount(ctx, { username })).rejects.toMatchObject({
      code: 'invalid_request',
      message: /^username:/,
    })
  expect((await app.context.db.select().from(users).where(eq(users.id, user.id)))[0]?.disabledAt).toBeNull()
})

test('a login to a closed account tells its owner the day, and a stranger nothing', async () => {
  const user = await app.person()
  const { erase_at } = await closeOwnAccount(await app.actingAs(user), user)
  const page = await app.logIn(app.newBrowser(), user.username)
  expect(page.status).toBe(401)
  expect(page.text).toContain(`On ${erase_at.slice(0, 10)} its data is erased`)
  const wrong = await app.logIn(app.newBrowser(), user.username, 'wrong password')
  const nobody = await app.logIn(app.newBrowser(), 'nobody_at_all', 'wrong password')
  expect(wrong.text).not.toContain('deleted')
  expect(wrong.text.replaceAll(user.username, '')).toHaveLength(nobody.text.replaceAll('nobody_at_all', '').length)
  expect((await app.newBrowser().get('/closed')).text).toContain('In 30 days its data is erased')
})

test('opened again by the operator within 30 days all but sessions, grants and webhooks is back', async () => {
  const { user, ctx, key, token } = await busyPerson()
  await closeOwnAccount(ctx, user)
  await expect(enableUser(app.context, user.username)).rejects.toMatchObject({ code: 'user_not_found' })
  await reopenUser(app.context, user.username.toUpperCase())
  await expect(reopenUser(app.context, user.username)).rejects.toMatchObject({ code: 'user_not_found' })
  expect((await app.logIn(app.newBrowser(), user.username)).status).toBe(303)
  expect(await statusOf('/v1/channels/', key)).toBe(200)
  expect(await statusOf('/v1/channels/', token)).toBe(401)
  const actions = await app.context.db
    .select()
    .from(auditLog)
    .where(eq(auditLog.targetId, user.id))
    .orderBy(auditLog.id)
  expect(actions.map(({ action, actorType }) => `${action} by ${actorType}`)).toEqual([
    'user.created by user',
    'user.closed by user',
    'user.reopened by operator',
  ])
  await app.elapse(users, 'eraseAt', 31 * DAY_MS)
  await eraseClosed(app.context)
  expect((await app.logIn(app.newBrowser(), user.username)).status).toBe(303)
})

test('what an operator stopped stays stopped when the account of its owner is opened again', async () => {
  const { user, ctx, owned } = await busyPerson()
  await app.context.db.update(clients).set({ disabledAt: new Date() }).where(eq(clients.id, owned.id))
  await closeOwnAccount(ctx, user)
  await reopenUser(app.context, user.username)
  expect((await app.context.db.select().from(clients).where(eq(clients.id, owned.id)))[0]?.disabledAt).not.toBeNull()
})

test('after 30 days what is left of the person is erased, once, and the name is nobody’s', async () => {
  const { user, ctx, owned, acting } = await busyPerson()
  const { db } = app.context
  const other = await app.person()
  const otherCtx = await app.actingAs(other)
  await sendMessage(acting, { room_name: other.username, content: 'What I wrote' })
  await sendMessage(otherCtx, { room_name: user.username, content: 'What somebody else wrote' })
  await startLivestream(acting, { title: 'Live' })
  await endLivestream(acting)
  await createOverlay(ctx, { name: 'x', event_types: ['chat.message.sent'] })
  await createBan({ ...otherCtx, principal: { ...otherCtx.principal, scopes } }, { user_id: user.id })
  await closeOwnAccount(ctx, user)
  await eraseClosed(app.context)
  const ofUser = () => db.$count(chatMessages, eq(chatMessages.userId, user.id))
  expect(await ofUser()).toBe(1)

  await app.elapse(users, 'eraseAt', 30 * DAY_MS + 1_000)
  await expect(reopenUser(app.context, user.username)).rejects.toMatchObject({ code: 'user_not_found' })
  await Promise.all([eraseClosed(app.context), eraseClosed(app.context)])
  await app.elapse(grants, 'revokedAt', 30 * DAY_MS + 1_000)
  await deleteExpired(app.context, new Date())
  expect(await db.$count(grants, eq(grants.userId, user.id))).toBe(0)
  const [row] = await db.select().from(users).where(eq(users.id, user.id))
  const gone = { email: null, emailVerifiedAt: null, bio: null, imageUrl: null, passwordHash: null, eraseAt: null }
  expect(row).toMatchObject(gone)
  expect(row?.erasedAt).not.toBeNull()
  const counts = await Promise.all([
    ofUser(),
    db.$count(livestreams, eq(livestreams.channelId, user.id)),
    db.$count(overlayKeys, eq(overlayKeys.channelId, user.id)),
    db.$count(mails, eq(mails.userId, user.id)),
    db.$count(bans, eq(bans.userId, user.id)),
    db.$count(webhookSubscriptions, eq(webhookSubscriptions.userId, user.id)),
    db.$count(clients, eq(clients.id, owned.id)),
  ])
  expect(counts).toEqual([0, 0, 0, 0, 0, 0, 0])
  expect(await db.$count(chatMessages, eq(chatMessages.userId, other.id))).toBe(1)
  expect(await db.$count(bans, eq(bans.channelId, other.id)), 'a ban stays, without a name').toBe(1)
  const log = await db.select().from(auditLog).where(eq(auditLog.userId, user.id))
  expect(log.every(({ ip, userAgent }) => ip === null && userAgent === null)).toBe(true)
  expect(log.filter(({ action }) => action === 'user.erased')).toHaveLength(1)

  const again = { username: user.username, email: 'new@example.com', password: PASSWORD }
  await expect(createUser(app.context, again)).rejects.toMatchObject({ message: 'username: is taken.' })
  await expect(logIn(ctx, { username: user.username, password: PASSWORD })).rejects.toMatchObject({
    code: 'unauthorized',
  })
})
