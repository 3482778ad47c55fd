import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessTokens, clients, users } from '../../src/db/schema/index.ts'
import { startSession } from '../../src/domain/access/sessions.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import { basic, caller, createOAuthApp, errorOf, type OAuthApp } from '../support/flows.ts'

let app: OAuthApp
beforeAll(async () => {
  app = await createOAuthApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const me = (headers: Record<string, string> = {}) => app.request('GET /v1/users/me', { headers })
const challengeOf = ({ headers }: { headers: Headers }) => headers.get('www-authenticate') ?? ''

test('B01 no credential: a challenge that names the metadata and the scope, and no error', async () => {
  const reply = await me()
  expect(errorOf(reply)).toBe('401 unauthorized')
  const metadata = `${app.base}/.well-known/oauth-protected-resource`
  expect(challengeOf(reply)).toBe(`Bearer realm="api", resource_metadata="${metadata}", scope="user:read"`)
})

test('B02 a bad credential: the same challenge with invalid_token', async () => {
  for (const token of ['x', mint('access'), mint('key')]) {
    const reply = await me({ authorization: `Bearer ${token}` })
    expect(errorOf(reply)).toBe('401 invalid_token')
    expect(challengeOf(reply)).toMatch(/^Bearer realm="api", resource_metadata="[^"]+", error="invalid_token"$/)
  }
})

test('B03 the word Bearer in any case', async () => {
  const { access_token } = await app.newGrant()
  for (const word of ['Bearer', 'bearer', 'BEARER']) {
    expect((await me({ authorization: `${word} ${access_token}` })).status).toBe(200)
  }
})

test('B04 a missing scope is named, in the message and in the challenge', async () => {
  const { body } = await app.forApplication(app.client, { scope: 'webhook:write' })
  const reply = await app.request('GET /v1/chat/messages?room_name=ada', { token: body.access_token })
  expect(errorOf(reply)).toBe('403 insufficient_scope')
  expect(reply.body.error.message).toContain('chat:read')
  expect(challengeOf(reply)).toMatch(/error="insufficient_scope", scope="chat:read"/)

  const alternatives = await app.request('GET /v1/moderation/bans', { token: body.access_token })
  expect(challengeOf(alternatives)).toMatch(/scope="moderation:read moderation:write"/)
})

test('B05 R03 a token in the query or the body is no credential', async () => {
  const { access_token } = await app.newGrant(app.client, ['user:read', 'chat:write'])
  expect(errorOf(await app.request(`GET /v1/users/me?access_token=${access_token}`))).toBe('401 unauthorized')
  const body = new URLSearchParams({ access_token, room_name: 'ada', content: 'hello' })
  expect(errorOf(await app.request('POST /v1/chat/messages', { body }))).toBe('401 unauthorized')
})

test('B06 a token by Basic is refused', async () => {
  const { access_token } = await app.newGrant()
  for (const authorization of [
    basic(access_token),
    basic('x', access_token),
    basic(app.client.id, app.client.secret),
  ]) {
    expect(errorOf(await me({ authorization }))).toBe('401 invalid_token')
  }
})

test('B07 refresh tokens, codes and secrets are no bearer tokens', async () => {
  const { refresh_token } = await app.newGrant()
  const { code } = await app.newCode()
  for (const other of [refresh_token, code, app.client.secret]) {
    expect(errorOf(await me({ authorization: `Bearer ${other}` }))).toBe('401 invalid_token')
  }
})

test('B08 a token is dead after its hour', async () => {
  const { access_token } = await app.newGrant()
  await app.elapse(accessTokens, 'expiresAt', 3_599_000)
  expect(await app.statusOf(access_token)).toBe(200)
  await app.elapse(accessTokens, 'expiresAt', 1_000)
  expect(await app.statusOf(access_token)).toBe(401)
})

test('B09 of a disabled client or user it is dead at once, and alive again after', async () => {
  const [client, bob] = [await app.newClient(), await app.user('bob')]
  const { access_token } = await app.newGrant(client, ['user:read'], bob)
  const { access_token: ofApplication } = (await app.forApplication(client)).body
  const channels = async () => (await app.request('GET /v1/channels/', { token: ofApplication })).status

  await app.context.db
    .update(users)
    .set({ disabledAt: inMs(0) })
    .where(eq(users.id, bob.id))
  expect([await app.statusOf(access_token), await channels()]).toEqual([401, 200])
  await app.context.db.update(users).set({ disabledAt: null }).where(eq(users.id, bob.id))
  expect(await app.statusOf(access_token)).toBe(200)
  await app.context.db
    .update(clients)
    .set({ disabledAt: inMs(0) })
    .where(eq(clients.id, client.id))
  expect([await app.statusOf(access_token), await channels()]).toEqual([401, 401])
})

test.each([
  ['two values', (token: string) => `Bearer ${token}, Bearer ${token}`],
  ['trailing words', (token: string) => `Bearer ${token} x`],
  ['7 KB', (_token: string) => `Bearer ${'x'.repeat(7 * 1024)}`],
  ['a wrong checksum', (token: string) => `Bearer ${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`],
  ['nothing after the word', (_token: string) => 'Bearer '],
  ['no space', (token: string) => `Bearer${token}`],
  ['a tab', (token: string) => `Bearer\t${token}`],
])('B10 B11 %s: 401, never 500', async (_what, header) => {
  const { access_token } = await app.newGrant()
  expect(errorOf(await me({ authorization: header(access_token) }))).toBe('401 invalid_token')
})

test('R06 /trpc asks for the same scopes, and for a credential', async () => {
  const { access_token } = await app.newGrant(app.client, ['chat:read'])
  const call = (token?: string) => app.request('GET /trpc/users.me?input=%7B%7D', { token })
  expect((await call()).status).toBe(401)
  expect((await call(access_token)).body.error.data.problem.code).toBe('insufficient_scope')
  const { access_token: right } = await app.newGrant(app.client, ['user:read'])
  expect((await call(right)).status).toBe(200)
})

test('R07 a cookie is nothing on /v1, /oauth/token, /oauth/revoke', async () => {
  const sid = await startSession({ ...app.context, caller: caller() }, app.ada.id, ['pwd'])
  const headers = { cookie: `sid=${sid}; __Host-sid=${sid}` }
  expect(errorOf(await me(headers))).toBe('401 unauthorized')
  expect(errorOf(await app.token({ grant_type: 'client_credentials' }, headers))).toBe('401 invalid_client')
  expect(errorOf(await app.revoke({ token: 'x' }, headers))).toBe('401 invalid_client')
})

test('a principal without a user is told so, after the scope', async () => {
  const { access_token } = (await app.forApplication()).body
  expect(errorOf(await me({ authorization: `Bearer ${access_token}` }))).toBe('403 user_token_required')
})
