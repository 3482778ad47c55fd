import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { makePartitions } from '../../src/db/partitions.ts'
import { accessTokens, clients, grants } from '../../src/db/schema/index.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { listApplicationAudit } from '../../src/domain/applications/audit-log.ts'
import { issuePlaygroundToken } from '../../src/domain/oauth/playground-token.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { db } = app.context
await makePartitions(db, app.clock.at)

const caller = {
  authorization: undefined,
  session: undefined,
  address: '127.0.0.1',
  isForwarded: false,
  requestId: 'r',
  userAgent: undefined,
}
async function developer(username: string) {
  const person = await app.user(username)
  const principal = { kind: 'user', userId: person.id, username, clientId: null, scopes: [] } as const
  return { ...app.context, caller, principal }
}
const ada = await developer('ada')
const own = await createApplication(ada, { name: 'Mine', confidential: true, scopes: ['user:read', 'channel:read'] })

test('it stands for the developer, with the scopes of the application, for an hour; so does its grant', async () => {
  const token = await issuePlaygroundToken(ada, { application_id: own.id, stands_for: 'me' })
  expect(token).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'user:read channel:read' })
  expect(token.refresh_token).toBeUndefined()
  const me = await app.request('GET /v1/users/me', { token: token.access_token })
  expect(me.body.data.username).toBe('ada')
  expect((await app.request('GET /v1/categories/', { token: token.access_token })).status).toBe(403)
  await app.elapse(grants, 'expiresAt', 3_599_000)
  await app.elapse(accessTokens, 'expiresAt', 3_599_000)
  expect((await app.request('GET /v1/users/me', { token: token.access_token })).status).toBe(200)
  await app.elapse(accessTokens, 'expiresAt', 2_000)
  expect((await app.request('GET /v1/users/me', { token: token.access_token })).status).toBe(401)
  const [grant] = await db.select().from(grants).where(eq(grants.clientId, own.id))
  expect(Math.abs((grant?.expiresAt.getTime() ?? 0) - Date.now())).toBeLessThan(600_000)
})

test('it stands for the application, and then for nobody', async () => {
  const { access_token } = await issuePlaygroundToken(ada, { application_id: own.id, stands_for: 'application' })
  expect((await app.request('GET /v1/channels/', { token: access_token })).status).toBe(200)
  expect((await app.request('GET /v1/users/me', { token: access_token })).body.error.code).toBe('user_token_required')
})

test('an application is no person: its own token says nothing of who somebody is, a developer’s may', async () => {
  const scopes = ['openid', 'email', 'channel:read'] as const
  const { id } = await createApplication(ada, { name: 'With a login', confidential: true, scopes: [...scopes] })
  const scopesFor = async (stands_for: 'me' | 'application') =>
    (await issuePlaygroundToken(ada, { application_id: id, stands_for })).scope.split(' ').toSorted()
  expect(await scopesFor('application')).toEqual(['channel:read'])
  expect(await scopesFor('me')).toEqual([...scopes].toSorted())
})

test('each is in the log of the application, without the token', async () => {
  const { access_token } = await issuePlaygroundToken(ada, { application_id: own.id, stands_for: 'me' })
  const { items } = await listApplicationAudit(ada, { application_id: own.id, limit: 1 })
  expect(items).toMatchObject([
    { action: 'token.issued', actor_id: ada.principal.userId, target_id: expect.stringMatching(/^grt_/) },
  ])
  expect(JSON.stringify(items)).not.toContain(access_token)
})

test('nobody gets one of an application of somebody else, of one that is stopped, or of one that binds its tokens', async () => {
  const eve = await developer('eve')
  const ask = (ctx: typeof ada) => issuePlaygroundToken(ctx, { application_id: own.id, stands_for: 'application' })
  await expect(ask(eve)).rejects.toMatchObject({ code: 'not_found' })
  const before = (await db.select().from(accessTokens)).length
  for (const set of [{ disabledAt: new Date() }, { disabledAt: null, dpopBound: true }]) {
    await db.update(clients).set(set).where(eq(clients.id, own.id))
    await expect(ask(ada)).rejects.toMatchObject({ code: 'invalid_request' })
  }
  expect(await db.select().from(accessTokens)).toHaveLength(before)
})
