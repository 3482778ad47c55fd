import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessTokens } from '../../src/db/schema/index.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import type { TestClient } from '../support/context.ts'
import { createOAuthApp, credentials, errorOf, type OAuthApp } from '../support/flows.ts'

let app: OAuthApp
beforeAll(async () => {
  app = await createOAuthApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const introspect = (token: string, of: TestClient = app.client, query = '') =>
  app.request(`POST /oauth/introspect${query}`, { body: new URLSearchParams({ token, ...credentials(of) }) })

test('I01 a client sees what its own tokens can do, until they end', async () => {
  const { access_token, refresh_token } = await app.newGrant()
  const { status, body, headers } = await introspect(access_token)
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  const { exp, iat, ...rest } = body
  expect(rest).toEqual({
    active: true,
    client_id: app.client.id,
    scope: 'user:read chat:read',
    token_type: 'Bearer',
    iss: app.base,
    aud: app.base,
    sub: app.ada.id,
    username: 'ada',
  })
  expect(exp - iat).toBe(3600)
  expect((await introspect(refresh_token)).body).toMatchObject({ active: true, sub: app.ada.id })
  await app.revoke({ token: refresh_token, ...credentials(app.client) })
  for (const dead of [access_token, refresh_token]) expect((await introspect(dead)).body).toEqual({ active: false })
})

test('I01 of a token of the application there is no user; a public client may look at its own', async () => {
  const { access_token } = (await app.forApplication()).body
  const { body } = await introspect(access_token)
  expect([body.active, 'sub' in body, 'username' in body]).toEqual([true, false, false])
  const native = await app.newGrant(app.native)
  expect((await introspect(native.access_token, app.native)).body.active).toBe(true)
})

test('I02 whatever is another client’s, expired, garbage or no token is not active, and nothing more is said', async () => {
  const { access_token, refresh_token } = await app.newGrant()
  const [expired] = [(await app.newGrant()).access_token]
  await app.elapse(accessTokens, 'expiresAt', 3_600_000)
  const secret = app.client.secret ?? ''
  for (const token of [expired, 'garbage', mint('access'), mint('key'), mint('code'), secret, 'é'])
    expect((await introspect(token)).body).toEqual({ active: false })
  for (const token of [access_token, refresh_token])
    expect((await introspect(token, app.other)).body).toEqual({ active: false })
})

test('I03 who does not say who it is learns nothing', async () => {
  const { access_token } = await app.newGrant()
  const ask = (fields: Record<string, string>) =>
    app.request('POST /oauth/introspect', { body: new URLSearchParams(fields) })
  expect(errorOf(await ask({ token: access_token }))).toBe('401 invalid_client')
  expect(errorOf(await ask({ token: access_token, client_id: app.client.id }))).toBe('401 invalid_client')
  expect(errorOf(await ask(credentials(app.client)))).toBe('400 invalid_request')
  expect(errorOf(await app.request('GET /oauth/introspect'))).toBe('405 method_not_allowed')
  const { body } = await introspect(access_token, { id: app.client.id, secret: 'x' }, '?error_format=rfc6749')
  expect(body.error).toBe('invalid_client')
})
