import { and, eq } from 'drizzle-orm'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  applicationInvitations,
  applicationMembers,
  clientRedirectUris,
  clients,
  mails,
  webhookSecrets,
  webhookSubscriptions,
} from '../../src/db/schema/index.ts'
import { requestReset, resetPassword } from '../../src/domain/accounts/forgotten-password.ts'
import { changePassword } from '../../src/domain/accounts/new-password.ts'
import { createApplication, updateApplication } from '../../src/domain/applications/applications.ts'
import { getApplication } from '../../src/domain/applications/list.ts'
import { acceptInvitation } from '../../src/domain/applications/people/accept.ts'
import { invitePerson, offerTransfer } from '../../src/domain/applications/people/invite.ts'
import { changeRole } from '../../src/domain/applications/people/members.ts'
import { acceptTransfer } from '../../src/domain/applications/people/transfer.ts'
import { apiScopes } from '../../src/domain/core/scopes.ts'
import { sendDueMails } from '../../src/domain/mail/send-due.ts'
import { createSubscriptionForApplication } from '../../src/domain/webhooks/subscriptions/create.ts'
import { rotateSigningSecret } from '../../src/domain/webhooks/subscriptions/rotate.ts'
import { updateSubscription } from '../../src/domain/webhooks/subscriptions/update.ts'
import { type Acting, confirmedPerson, invitationTo } from '../applications/invited.ts'
import { createFactorsApp, type FactorsApp } from '../factors/people.ts'
import { caller } from '../support/flows.ts'
import { PASSWORD } from '../support/log.ts'

const OTHER = 'the owner has a new one'
const WEEK_MS = 7 * 86_400_000

let app: FactorsApp
beforeAll(async () => {
  app = await createFactorsApp()
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => app.context.db.delete(mails))

const visitor = () => ({ ...app.context, caller: caller({ address: '192.0.2.50' }) })
const emailOf = ({ principal }: Acting) => `${principal.username}@example.com`
const dead = { code: 'invalid_request' }

async function forgot(person: Acting): Promise<string> {
  await app.context.db.delete(mails)
  await requestReset(visitor(), person.principal.username)
  await expect.poll(() => app.context.db.$count(mails)).toBeGreaterThan(0)
  while ((await sendDueMails(app.context)) > 0);
  const links = app.sentMails.flatMap(({ text }) => (text.link?.path.startsWith('/reset') ? [text.link.path] : []))
  return links.at(-1)?.replace(/.*token=/, '') ?? ''
}
const reset = (token: string) => resetPassword(visitor(), { token, password: OTHER, endsCredentials: true })

async function publicKey(kid: string) {
  const { publicKey: key } = await generateKeyPair('ES256', { extractable: true })
  return { ...(await exportJWK(key)), kid, alg: 'ES256', use: 'sig' }
}
const wanted = { confidential: true, redirect_uris: ['https://a.example/cb'], scopes: [...apiScopes] }

test('whoever had an account for a moment is asked to its applications no more, once it has a new password', async () => {
  const [owner, sock] = [await confirmedPerson(app), await confirmedPerson(app)]
  const [one, other] = [
    await createApplication(owner, { name: 'One', ...wanted }),
    await createApplication(owner, { name: 'Other', ...wanted }),
  ]
  await invitePerson(owner, { application_id: one.id, email: emailOf(sock), role: 'developer' })
  const invitation = await invitationTo(app, emailOf(sock))
  await offerTransfer(owner, { application_id: other.id, email: emailOf(sock) })
  const offer = await invitationTo(app, emailOf(sock))
  await changePassword(owner, { current_password: PASSWORD, new_password: OTHER })
  await expect(acceptInvitation(sock, { token: invitation })).rejects.toMatchObject(dead)
  await expect(acceptTransfer(sock, { token: offer })).rejects.toMatchObject(dead)
  expect(await app.context.db.$count(applicationInvitations)).toBe(0)
})

/** An application that is older than a week, to which somebody else who had the account has added all that they can. */
async function robbedApplication() {
  const [owner, friend, viewer, sock] = [
    await confirmedPerson(app),
    await confirmedPerson(app),
    await confirmedPerson(app),
    await confirmedPerson(app),
  ]
  const jwks = { keys: [await publicKey('owner')] }
  const { id } = await createApplication(owner, {
    name: 'Robbed',
    ...wanted,
    jwks,
    grant_types: ['authorization_code'],
  })
  const about = { application_id: id }
  const joinedAt = app.clock.at
  for (const [{ principal }, role] of [
    [friend, 'developer'],
    [viewer, 'viewer'],
  ] as const)
    await app.context.db.insert(applicationMembers).values({ clientId: id, userId: principal.userId, role, joinedAt })
  const hook = { ...about, event_types: ['chat.message.sent'] }
  const developing = { ...owner, role: 'developer' } as const
  const kept = await createSubscriptionForApplication(developing, { ...hook, url: 'https://93.184.216.34/kept' })
  const moved = await createSubscriptionForApplication(developing, { ...hook, url: 'https://93.184.216.34/mine' })
  await app.elapse(clientRedirectUris, 'addedAt', WEEK_MS)
  await app.elapse(clients, 'jwksChangedAt', WEEK_MS)
  await app.elapse(applicationMembers, 'joinedAt', WEEK_MS)
  const signed = await createSubscriptionForApplication(developing, { ...hook, url: 'https://93.184.216.34/signed' })
  await app.elapse(webhookSubscriptions, 'createdAt', WEEK_MS)
  await app.elapse(webhookSecrets, 'createdAt', WEEK_MS)

  await updateApplication(owner, { id, redirect_uris: [...wanted.redirect_uris, 'https://thief.example/cb'] })
  await invitePerson(owner, { ...about, email: emailOf(sock), role: 'developer' })
  await acceptInvitation(sock, { token: await invitationTo(app, emailOf(sock)) })
  await changeRole(owner, { ...about, user_id: viewer.principal.userId, role: 'developer' })
  await createSubscriptionForApplication(developing, { ...hook, url: 'https://93.184.216.34/theirs?t=s3' })
  await updateSubscription(developing, { id: moved.id, url: 'https://93.184.216.34/moved' })
  await rotateSigningSecret(developing, { id: signed.id })
  return { owner, friend, viewer, sock, id, kept, jwks }
}

test('with the tick nothing of the last week stays in its applications, and the page has said what that is', async () => {
  const { owner, friend, viewer, sock, id, kept, jwks } = await robbedApplication()
  await updateApplication(owner, { id, jwks: { keys: [...jwks.keys, await publicKey('thief')] } })
  const token = await forgot(owner)
  const { text } = await app.newBrowser().get(`/reset?token=${token}`)
  for (const what of [
    `member ${sock.principal.username}`,
    `member ${viewer.principal.username}`,
    'webhook to https://93.184.216.34/theirs,',
    'webhook to https://93.184.216.34/moved,',
    'webhook to https://93.184.216.34/signed,',
    'redirect address https://thief.example/cb',
    'public keys',
  ])
    expect(text).toContain(`Robbed: ${what}`)
  for (const what of [friend.principal.username, '/kept', 'https://a.example/cb', 's3'])
    expect(text).not.toContain(what)

  await reset(token)
  const left = await getApplication({ ...friend, role: 'viewer' }, { id })
  expect(left).toMatchObject({ redirect_uris: wanted.redirect_uris, jwks: { keys: [] } })
  for (const gone of [sock, viewer])
    await expect(getApplication({ ...gone, role: 'viewer' }, { id })).rejects.toMatchObject({ code: 'not_found' })
  const living = await app.context.db
    .select({ id: webhookSubscriptions.id, deletedAt: webhookSubscriptions.deletedAt })
    .from(webhookSubscriptions)
    .where(and(eq(webhookSubscriptions.clientId, id)))
  expect(living.filter(({ deletedAt }) => deletedAt === null).map((one) => one.id)).toEqual([kept.id])
  await updateApplication(await app.actingAs(nameOf(owner)), { id, jwks })
  expect((await app.newBrowser().get(`/reset?token=${await forgot(owner)}`)).text).toContain('public keys')
})

test('a new password without the tick, and keys that are older, leave an application as it is', async () => {
  const { owner, sock, id, jwks } = await robbedApplication()
  await changePassword(owner, { current_password: PASSWORD, new_password: OTHER })
  expect(await getApplication({ ...sock, role: 'viewer' }, { id })).toMatchObject({ role: 'developer', jwks })
  await updateApplication(await app.actingAs(nameOf(owner)), { id, name: 'Renamed', jwks })
  await reset(await forgot(owner))
  const [row] = await app.context.db.select().from(clients).where(eq(clients.id, id))
  expect(row?.jwks).toEqual(jwks)
})

const nameOf = ({ principal }: Acting) => ({ id: principal.userId, username: principal.username })
