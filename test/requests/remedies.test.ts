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

/** What the explanation of a request with this credential says should be done. */
async function remedyFor(credential: string) {
  const answer = await app.request('GET /v1/channels/', { token: credential })
  expect([answer.status, answer.body.error.code]).toEqual([401, 'invalid_token'])
  await writeRequestLog(context)
  const [found] = await explainRequest(asOwner, { request_id: answer.headers.get('x-request-id') ?? '' })
  return found?.remedy ?? ''
}

const made = async () => {
  const client = await app.client({ owner })
  const key = await createKey(asOwner, { application_id: client.id, name: 'CI', scopes: ['channel:read'] })
  return { client, key: key.key, keyId: key.id }
}
const revoked = { revokedAt: dbNow } as const

test('whatever has ended, its remedy is one for that: a key is never refreshed', async () => {
  for (const ended of [{ expiresAt: new Date(0) }, revoked]) {
    const { key, keyId } = await made()
    await context.db.update(apiKeys).set(ended).where(eq(apiKeys.id, keyId))
    expect(await remedyFor(key)).toMatch(/is not refreshed: make another one/)
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

test('the table of errors, which knows no credential, speaks of keys as well', () => {
  expect(problems.invalid_token.remedy).toMatch(/Refresh the token.*An API key is not refreshed/)
})
