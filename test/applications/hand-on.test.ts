import { eq } from 'drizzle-orm'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applicationMembers, clients } from '../../src/db/schema/index.ts'
import { closeOwnAccount, listClosingEffects } from '../../src/domain/accounts/closing/close.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { listApplicationAudit } from '../../src/domain/applications/audit-log.ts'
import { getApplication } from '../../src/domain/applications/list.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { apiScopes } from '../../src/domain/core/scopes.ts'
import { sendDueMails } from '../../src/domain/mail/send-due.ts'
import { issuePlaygroundToken } from '../../src/domain/oauth/playground-token.ts'
import { createFactorsApp, type FactorsApp } from '../factors/people.ts'
import { type Acting, confirmedPerson } from './invited.ts'

let app: FactorsApp
beforeAll(async () => {
  app = await createFactorsApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const wanted = { confidential: true, redirect_uris: ['https://a.example/cb'], scopes: [...apiScopes] }
const make = (owner: Acting, name: string) => createApplication(owner, { name, ...wanted })
const daysAgo = (days: number) => new Date(app.clock.at.getTime() - days * 86_400_000)
async function develop(clientId: string, { principal: { userId } }: Acting, joinedAt = app.clock.at) {
  await app.context.db.insert(applicationMembers).values({ clientId, userId, role: 'developer', joinedAt })
}
const leave = (owner: Acting) => closeOwnAccount(owner, owner.principal)
async function mailsTo({ principal }: Acting) {
  while ((await sendDueMails(app.context)) > 0);
  return app.sentMails.filter(({ to }) => to === `${principal.username}@example.com`).map(({ text }) => text)
}

test('an application that is handed on proves itself by nothing that whoever left may know', async () => {
  const [owner, heir] = [await confirmedPerson(app), await confirmedPerson(app)]
  const { id, client_secret } = await make(owner, 'Handed')
  const { publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256' }] }
  const signing = await createApplication(owner, { name: 'Signing', ...wanted, jwks })
  for (const one of [id, signing.id]) await develop(one, heir)
  const { key } = await createKey(owner, { application_id: id, name: 'CI', scopes: ['channel:read'] })
  const { access_token } = await issuePlaygroundToken(owner, { application_id: id, stands_for: 'application' })
  const statuses = async () => [
    (await app.request('GET /v1/channels/', { token: key })).status,
    (await app.request('GET /v1/channels/', { token: access_token })).status,
    (await app.forApplication({ id, secret: client_secret ?? undefined })).status,
  ]
  expect(await statuses()).toEqual([200, 200, 200])
  await leave(owner)
  expect(await statuses()).toEqual([401, 401, 401])
  expect(await getApplication(heir, { id: signing.id })).toMatchObject({ role: 'owner', jwks: { keys: [] } })
  const { items } = await listApplicationAudit(heir, { application_id: id, limit: 3 })
  expect(items.map(({ action }) => action)).toEqual(['application.handed_on', 'secret.revoked', 'key.revoked'])
  const mine = await createKey(heir, { application_id: id, name: 'mine', scopes: ['channel:read'] })
  expect((await app.request('GET /v1/channels/', { token: mine.key })).status).toBe(200)
})

test('an heir is told of all that they get by one mail, which says that its keys have ended', async () => {
  const [owner, heir] = [await confirmedPerson(app), await confirmedPerson(app)]
  for (let n = 0; n < 30; n++)
    await develop((await make(owner, n === 3 ? 'Log in at evil.example' : `App ${n}`)).id, heir)
  await leave(owner)
  expect(await app.context.db.$count(clients, eq(clients.ownerId, heir.principal.userId))).toBe(30)
  const told = (await mailsTo(heir)).filter(({ subject }) => /You own/.test(subject))
  expect(told).toHaveLength(1)
  const said = told[0]?.paragraphs.join('\n')
  for (const what of ['“App 0”', '“App 20”', 'And 9 more.', 'make new ones']) expect(said).toContain(what)
  expect(said).not.toContain('evil')
})

test('who has no room for another one is passed over, and gets no more than there is room for; the next is asked, else it stops', async () => {
  const [owner, full, next] = [await confirmedPerson(app), await confirmedPerson(app), await confirmedPerson(app)]
  const made = [await make(owner, 'One'), await make(owner, 'Two'), await make(owner, 'Three')]
  const [row] = await app.context.db
    .select()
    .from(clients)
    .where(eq(clients.id, made[0]?.id ?? ''))
  if (!row) throw new Error('It is not there')
  const others = Array.from({ length: 99 }, () => ({
    ...row,
    id: newId('client', app.clock.at),
    ownerId: full.principal.userId,
  }))
  await app.context.db.insert(clients).values(others)
  for (const { id } of made) await develop(id, full, daysAgo(9))
  await develop(made[1]?.id ?? '', next)
  await leave(owner)
  const ownerOf = async (n: number) => {
    const [found] = await app.context.db
      .select({ ownerId: clients.ownerId, disabledAt: clients.disabledAt })
      .from(clients)
      .where(eq(clients.id, made[n]?.id ?? ''))
    return [found?.ownerId, found?.disabledAt !== null]
  }
  expect(await ownerOf(0)).toEqual([full.principal.userId, false])
  expect(await ownerOf(1)).toEqual([next.principal.userId, false])
  expect(await ownerOf(2)).toEqual([owner.principal.userId, true])
})

test('the page before shows nobody as heir who has no room', async () => {
  const [owner, full] = [await confirmedPerson(app), await confirmedPerson(app)]
  const { id } = await make(owner, 'Left')
  await develop(id, full)
  expect((await listClosingEffects(owner)).applications).toMatchObject([{ heir: full.principal.username }])
  const [row] = await app.context.db.select().from(clients).where(eq(clients.id, id))
  if (!row) throw new Error('It is not there')
  const others = Array.from({ length: 100 }, () => ({ ...row, id: newId('client', app.clock.at) }))
  await app.context.db.insert(clients).values(others.map((one) => ({ ...one, ownerId: full.principal.userId })))
  expect((await listClosingEffects(owner)).applications).toMatchObject([{ heir: null }])
})
