import { eq } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { accessTokens, apiKeys, clients, grants } from '../../src/db/schema/index.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { dbNow } from '../../src/domain/core/db-now.ts'
import { problems } from '../../src/domain/core/problem-table.ts'
import { explainRequest } from '../../src/domain/requests/explain.ts'
import { writeRequestLog } from '../../src/domain/requests/write.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const { context } = app
const owner = await app.user('developer')
const principal = { kind: 'user', userId: owner.id, username: 'developer', clientId: null, scopes: [] } as const
const asOwner = { ...context, principal }

/** What the explanation of a request with this credential says of the cause, and of what should be done. */
async function explanationOf(credential: string, route = 'GET /v1/channels/', refusal = '401 invalid_token') {
  const answer = await app.request(route, { token: credential })
  expect(`${answer.status} ${answer.body.error.code}`).toBe(refusal)
  await writeRequestLog(context)
  const [found] = await explainRequest(asOwner, { request_id: answer.headers.get('x-request-id') ?? '' })
  return { cause: found?.cause ?? '', remedy: found?.remedy ?? '' }
}
const remedyFor = async (credential: string) => (await explanationOf(credential)).remedy

const made = async () => {
  const client = await app.client({ owner })
  const key = await createKey(asOwner, { application_id: client.id, name: 'CI', scopes: ['channel:read'] })
  return { client, key: key.key, keyId: key.id }
}
const revoked = { revokedAt: dbNow } as const

test('whatever has ended, its remedy is one for that: a key is never refreshed', async () => {
  for (const [ended, cause] of [
    [{ expiresAt: new Date(0) }, 'The API key has expired.'],
    [revoked, 'The API key was revoked.'],
  ] as const) {
    const { key, keyId } = await made()
    await context.db.update(apiKeys).set(ended).where(eq(apiKeys.id, keyId))
    expect(await explanationOf(key)).toEqual({
      cause,
      remedy: expect.stringMatching(/is not refreshed: make another one/),
    })
  }
  for (const ended of [{ expiresAt: new Date(0) }, revoked]) {
    const { client } = await made()
    const token = await app.token(['channel:read'], { client })
    await context.db.update(accessTokens).set(ended).where(eq(accessTokens.clientId, client.id))
    expect(await remedyFor(token)).toMatch(/^Ask the token endpoint for another one/)
  }
  for (const end of [
    (id: string) => context.db.update(accessTokens).set(revoked).where(eq(accessTokens.clientId, id)),
    (id: string) =>
      context.db
        .update(grants)
        .set({ ...revoked, revokeReason: 'user' })
        .where(eq(grants.clientId, id)),
  ]) {
    const { client } = await made()
    const token = await app.token(['channel:read'], { client, user: await app.user(`u${client.id.slice(-10)}`) })
    await end(client.id)
    expect(await remedyFor(token)).toMatch(/^Refresh the token\. .* allow the application again/)
  }
})

test('a key that is good still, of an application that was stopped, is not to be replaced', async () => {
  const { client, key } = await made()
  await context.db.update(clients).set({ disabledAt: dbNow }).where(eq(clients.id, client.id))
  expect(await remedyFor(key)).toMatch(/stopped the application/)
})

test('a scope that only people can give is asked of people, whatever the application itself could get', async () => {
  const remedy = async (route: string, credential: string) =>
    (await explanationOf(credential, route, '403 insufficient_scope')).remedy
  const { key, client } = await made()
  const ofItself = await app.token(['channel:read'], { client })
  for (const credential of [key, ofItself]) {
    expect(await remedy('GET /v1/chat/messages?room_name=x', credential)).toBe(problems.insufficient_scope.remedy)
    for (const route of ['POST /v1/chat/messages', 'GET /v1/users/me', 'GET /v1/moderation/bans'])
      expect(await remedy(route, credential), route).toMatch(
        /^No API key and no token of the application itself can do this/,
      )
  }
  const ofPerson = await app.token(['channel:read'], { client, user: await app.user('person') })
  expect(await remedy('GET /v1/users/me', ofPerson)).toBe(problems.insufficient_scope.remedy)
})

test('the table of errors, which knows no credential, speaks of keys as well', () => {
  expect(problems.invalid_token.remedy).toMatch(/Refresh the token.*An API key is not refreshed/)
})
