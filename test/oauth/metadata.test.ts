import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signingAlgorithms } from '../../src/domain/access/signing-algorithms.ts'
import { apiScopes, scopes } from '../../src/domain/core/scopes.ts'
import { createOAuthApp, credentials, errorOf, type OAuthApp } from '../support/flows.ts'

let app: OAuthApp
beforeAll(async () => {
  app = await createOAuthApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const SERVER = '/.well-known/oauth-authorization-server'
const RESOURCE = '/.well-known/oauth-protected-resource'

test('M01 M09 the server’s metadata, for OAuth and for OpenID Connect, promises what is there and nothing else', async () => {
  const endpoints = ['token', 'revocation', 'introspection']
  const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none']
  const at = (name: string) => `${app.base}/oauth/${name}?error_format=rfc6749`
  const paths: Record<string, string> = { token: 'token', revocation: 'revoke', introspection: 'introspect' }
  const { status, body } = await app.request(`GET ${SERVER}`)
  expect(status).toBe(200)
  expect(body).toEqual({
    issuer: app.base,
    authorization_endpoint: `${app.base}/oauth/authorize`,
    device_authorization_endpoint: at('device_authorization'),
    ...Object.fromEntries(endpoints.map((name) => [`${name}_endpoint`, at(paths[name] ?? '')])),
    ...Object.fromEntries(endpoints.map((name) => [`${name}_endpoint_auth_methods_supported`, methods])),
    ...Object.fromEntries(
      endpoints.map((name) => [`${name}_endpoint_auth_signing_alg_values_supported`, signingAlgorithms]),
    ),
    userinfo_endpoint: `${app.base}/oauth/userinfo`,
    jwks_uri: `${app.base}/oauth/jwks`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    code_challenge_methods_supported: ['S256'],
    dpop_signing_alg_values_supported: signingAlgorithms,
    scopes_supported: scopes,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    claims_supported: expect.arrayContaining(['sub', 'auth_time', 'preferred_username', 'email_verified']),
    prompt_values_supported: ['none', 'login', 'consent'],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    client_id_metadata_document_supported: false, // where it is off
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${app.base}/docs/`,
  })
  expect((await app.request('GET /.well-known/openid-configuration')).body).toEqual(body)
  expect((await app.request('GET /docs/')).status).toBe(200)
})

test('M02 the resource’s metadata leads to the server', async () => {
  const { body } = await app.request(`GET ${RESOURCE}`)
  expect(body).toEqual({
    resource: app.base,
    authorization_servers: [app.base],
    bearer_methods_supported: ['header'],
    scopes_supported: apiScopes,
    dpop_signing_alg_values_supported: signingAlgorithms,
  })
})

test('M03 any website may read metadata, tokens and their errors, none with credentials', async () => {
  const origin = { origin: 'https://elsewhere.example' }
  const replies = [
    await app.request(`GET ${SERVER}`, { headers: origin }),
    await app.request(`OPTIONS ${RESOURCE}`, { headers: origin }),
    await app.token({ grant_type: 'client_credentials', ...credentials(app.client) }, origin),
    await app.token({ grant_type: 'x' }, origin),
    await app.revoke({ token: 'x' }, origin),
    await app.request('OPTIONS /oauth/token', { headers: { ...origin, 'access-control-request-method': 'POST' } }),
  ]
  for (const { headers } of replies) {
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  }
  expect(replies[3]?.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate')
})

test('the documents are read with GET, HEAD and OPTIONS alone', async () => {
  for (const path of [SERVER, RESOURCE]) {
    expect((await app.request(`HEAD ${path}`)).status).toBe(200)
    expect((await app.request(`OPTIONS ${path}`)).status).toBe(204)
    const reply = await app.request(`POST ${path}`)
    expect(errorOf(reply)).toBe('405 method_not_allowed')
    expect(reply.headers.get('allow')).toContain('GET')
  }
})

test('M04 with error_format=rfc6749 errors are as RFC 6749 has them, without it as the contract has them', async () => {
  const endpoint = '/oauth/token?error_format=rfc6749'
  const wrong = { grant_type: 'refresh_token', refresh_token: 'x', ...credentials(app.client) }
  const standard = await app.request(`POST ${endpoint}`, { body: new URLSearchParams(wrong) })
  expect(standard.status).toBe(400)
  expect(standard.body).toEqual({ error: 'invalid_grant', error_description: expect.any(String) })
  expect(standard.headers.get('www-authenticate')).toBeNull()

  const unknown = await app.request(`POST ${endpoint}`, {
    body: new URLSearchParams({ ...wrong, client_secret: 'wrong' }),
  })
  expect([unknown.status, unknown.body.error]).toEqual([401, 'invalid_client'])
  expect(unknown.headers.get('www-authenticate')).toMatch(/^Bearer realm="api", error="invalid_client"/)

  for (const query of ['', '?error_format=RFC6749', '?error_format=', '?error_format=rfc6749&error_format=rfc6749']) {
    const reply = await app.request(`POST /oauth/token${query}`, { body: new URLSearchParams(wrong) })
    expect(errorOf(reply)).toBe('400 invalid_grant')
  }
  const revocation = await app.request('POST /oauth/revoke?error_format=rfc6749', {
    body: new URLSearchParams({ token: 'x' }),
  })
  expect(revocation.body).toMatchObject({ error: 'invalid_client' })
})

test('M06 no stack, no name of a framework', async () => {
  for (const route of [
    `GET ${SERVER}`,
    'GET /oauth/authorize',
    'GET /login',
    'POST /oauth/token',
    'GET /.well-known/x',
  ]) {
    const reply = await app.request(route)
    expect(reply.headers.get('x-powered-by')).toBeNull()
    expect(reply.headers.get('server')).toBeNull()
    expect(reply.text).not.toMatch(/\bat .*\.(ts|js):\d/)
  }
})

test('M07 what a caller writes cannot break out of the challenge (CVE-2026-50630)', async () => {
  const evil = 'x", error="nothing"\\, Basic realm="evil" é\r\nSet-Cookie: a=b'
  for (const fields of [{ grant_type: evil }, { grant_type: 'client_credentials', client_id: evil, [evil]: '\0' }]) {
    const reply = await app.request('POST /oauth/token', { body: fields })
    const challenge = reply.headers.get('www-authenticate') ?? ''
    expect(challenge).toMatch(/^(Bearer|Basic) realm="api", error="[a-z_]+", error_description="[ -!#-[\]-~]*"$/)
    expect(reply.headers.get('set-cookie')).toBeNull()
  }
})

test('M08 issuer and links come from the configuration, never from the request', async () => {
  await using elsewhere = await createOAuthApp({ publicUrl: 'https://api.example' })
  const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', forwarded: 'host=evil.example' }
  const metadata = await elsewhere.request(`GET ${SERVER}`, { headers })
  expect(metadata.body.issuer).toBe('https://api.example')
  const challenge = (await elsewhere.request('GET /v1/users/me', { headers })).headers.get('www-authenticate')
  expect(challenge).toContain('https://api.example/.well-known/oauth-protected-resource')
  expect(metadata.text + challenge).not.toContain('evil')
  for (const path of [SERVER, RESOURCE, '/openapi.json', '/llms.txt', '/oauth/authorize?client_id=x', '/v1/users/me']) {
    const { text, headers: answered } = await withHost(new URL(path, elsewhere.base), 'evil.example')
    expect(text + JSON.stringify(answered), path).not.toContain('evil')
  }
})

/** `Host` is the one header that `fetch` does not let anybody choose. */
async function withHost({ hostname, port, pathname, search }: URL, host: string) {
  const asked = request({ hostname, port, path: pathname + search, headers: { host } }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return { text: Buffer.concat(await response.toArray()).toString(), headers: response.headers }
}

test('R02 HSTS when the public URL is https, not else', async () => {
  await using secure = await createOAuthApp({ publicUrl: 'https://api.example' })
  for (const route of [`GET ${SERVER}`, 'GET /login', 'GET /oauth/token']) {
    expect((await secure.request(route)).headers.get('strict-transport-security')).toMatch(/^max-age=\d{7,}/)
    expect((await app.request(route)).headers.get('strict-transport-security')).toBeNull()
  }
})
