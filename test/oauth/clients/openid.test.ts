import * as oauth from 'oauth4webapi'
import * as client from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loginSessions } from '../../../src/db/schema/index.ts'
import type { Browser } from '../../support/browser.ts'
import { CALLBACK, NATIVE_CALLBACK } from '../../support/flows.ts'
import { PASSWORD } from '../../support/log.ts'
import { createDeviceApp } from '../device/support.ts'

let app: Awaited<ReturnType<typeof createDeviceApp>>
let server: oauth.AuthorizationServer
let config: client.Configuration
beforeAll(async () => {
  app = await createDeviceApp()
  const issuer = new URL(app.base)
  server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
  const { id, secret } = app.client
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks]
  config = await client.discovery(issuer, id, secret, client.ClientSecretBasic(secret), { execute })
})
afterAll(() => app[Symbol.asyncDispose]())

const insecure = { [oauth.allowInsecureRequests]: true }
const SCOPE = 'openid profile email'

/** Where a browser is sent back to, once its user has allowed what the address asks for. */
async function allow(url: URL, browser: Browser): Promise<URL> {
  const { location } = await browser.submit(await browser.get(url.href), '/oauth/authorize', { decision: 'allow' })
  if (!location) throw new Error('The browser was not sent back')
  return location
}

/** The code flow of oauth4webapi up to its answer, which is not judged yet. */
async function exchange(asked: Record<string, string>, browser?: Browser) {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    client_id: native().client_id,
    redirect_uri: NATIVE_CALLBACK,
    response_type: 'code',
    scope: SCOPE,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...asked,
  }).toString()
  const location = await allow(url, browser ?? (await app.loggedIn()))
  const parameters = oauth.validateAuthResponse(server, native(), location, state)
  const how = [server, native(), oauth.None(), parameters, NATIVE_CALLBACK, verifier] as const
  return oauth.authorizationCodeGrantRequest(...how, insecure)
}
const native = () => ({ client_id: app.native.id })

test('oauth4webapi: logs a person in by discovery, nonce, max_age, signature, userinfo and a refresh without nonce', async () => {
  const expectedNonce = oauth.generateRandomNonce()
  const reply = await exchange({ nonce: expectedNonce, max_age: '600' })
  const checks = { expectedNonce, maxAge: 600, requireIdToken: true }
  const granted = await oauth.processAuthorizationCodeResponse(server, native(), reply, checks)
  await oauth.validateApplicationLevelSignature(server, reply, insecure)
  const { sub = '' } = oauth.getValidatedIdTokenClaims(granted) ?? {}
  expect(sub).toBe(app.grace.id)

  const info = await oauth.userInfoRequest(server, native(), granted.access_token, insecure)
  const claims = { sub, preferred_username: 'grace', email: 'grace@example.com', email_verified: false }
  expect(await oauth.processUserInfoResponse(server, native(), sub, info)).toMatchObject(claims)

  const { refresh_token = '' } = granted
  const again = await oauth.refreshTokenGrantRequest(server, native(), oauth.None(), refresh_token, insecure)
  const refreshed = await oauth.processRefreshTokenResponse(server, native(), again)
  await oauth.validateApplicationLevelSignature(server, again, insecure)
  const { sub: same, nonce, auth_time } = oauth.getValidatedIdTokenClaims(refreshed) ?? {}
  expect([same, nonce]).toEqual([sub, undefined])
  expect(auth_time).toBe(oauth.getValidatedIdTokenClaims(granted)?.auth_time)
})

test('oauth4webapi: sees that an ID token answers another request', async () => {
  const reply = await exchange({ nonce: oauth.generateRandomNonce() })
  const checks = { expectedNonce: oauth.generateRandomNonce() }
  const failure = oauth.processAuthorizationCodeResponse(server, native(), reply, checks)
  await expect(failure).rejects.toThrow('"nonce"')
})

test('oauth4webapi: with max_age somebody who logged in long ago does so again, and the ID token says when', async () => {
  const browser = await app.loggedIn()
  await app.elapse(loginSessions, 'authenticatedAt', 2_000_000)
  const old = await exchange({ nonce: 'n' }, browser)
  const lazy = oauth.processAuthorizationCodeResponse(server, native(), old, { expectedNonce: 'n', maxAge: 600 })
  await expect(lazy).rejects.toThrow('too much time has elapsed')

  const path = app.askPath(app.native, { scope: SCOPE, prompt: 'consent', max_age: '600' })
  await browser.submit(await browser.get(path), '/login', { username: 'grace', password: PASSWORD })
  const young = await exchange({ nonce: 'n', max_age: '600', prompt: 'consent' }, browser)
  const checks = { expectedNonce: 'n', maxAge: 600 }
  await expect(oauth.processAuthorizationCodeResponse(server, native(), young, checks)).resolves.toBeDefined()
})

test('oauth4webapi: connects a device, which is told what it waits for, and logs its user in', async () => {
  const asked = await oauth.deviceAuthorizationRequest(server, native(), oauth.None(), { scope: SCOPE }, insecure)
  const device = await oauth.processDeviceAuthorizationResponse(server, native(), asked)
  const poll = async () => {
    const how = [server, native(), oauth.None(), device.device_code, insecure] as const
    return oauth.processDeviceCodeResponse(server, native(), await oauth.deviceCodeGrantRequest(...how))
  }
  await expect(poll()).rejects.toMatchObject({ error: 'authorization_pending', status: 400 })
  await app.answer(await app.loggedIn(), device, 'allow')
  const granted = await poll()
  expect(oauth.getValidatedIdTokenClaims(granted)?.sub).toBe(app.grace.id)
  await expect(poll()).rejects.toMatchObject({ error: 'invalid_grant' })

  const { refresh_token = '' } = granted
  const again = await oauth.refreshTokenGrantRequest(server, native(), oauth.None(), refresh_token, insecure)
  const refreshed = await oauth.processRefreshTokenResponse(server, native(), again)
  expect(oauth.getValidatedIdTokenClaims(refreshed)?.sub).toBe(app.grace.id)
})

test('oauth4webapi: introspects its tokens, which tell no other client anything', async () => {
  const how = oauth.ClientSecretPost(app.client.secret ?? '')
  const self = { client_id: app.client.id }
  const ask = async (token: string, who: oauth.Client, by: oauth.ClientAuth) => {
    const reply = await oauth.introspectionRequest(server, who, by, token, insecure)
    return oauth.processIntrospectionResponse(server, who, reply)
  }
  const { access_token } = await app.newGrant(app.client, ['user:read'])
  const living = { active: true, client_id: app.client.id, scope: 'user:read', iss: app.base, aud: app.base }
  expect(await ask(access_token, self, how)).toMatchObject(living)
  const other = [{ client_id: app.other.id }, oauth.ClientSecretPost(app.other.secret ?? '')] as const
  expect(await ask(access_token, ...other)).toEqual({ active: false })
  await expect(ask(access_token, self, oauth.ClientSecretPost('wrong'))).rejects.toMatchObject({
    cause: [{ parameters: { error: 'invalid_client' } }],
  })
})

/** The code flow of openid-client, which verifies the signature of the ID token by the published keys. */
async function loggedInBy(browser: Browser) {
  const [pkceCodeVerifier, expectedState, expectedNonce] = [
    client.randomPKCECodeVerifier(),
    client.randomState(),
    client.randomNonce(),
  ]
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: SCOPE,
    prompt: 'consent',
    max_age: '600',
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, maxAge: 600, idTokenExpected: true }
  return client.authorizationCodeGrant(config, await allow(url, browser), checks)
}

test('openid-client: logs a person in, asks who it is, refreshes and introspects', async () => {
  const tokens = await loggedInBy(await app.loggedIn())
  const { sub = '' } = tokens.claims() ?? {}
  const info = await client.fetchUserInfo(config, tokens.access_token, sub)
  expect([info.sub, info.preferred_username, info.email]).toEqual([app.grace.id, 'grace', 'grace@example.com'])
  const asSomebodyElse = client.fetchUserInfo(config, tokens.access_token, app.ada.id)
  await expect(asSomebodyElse).rejects.toMatchObject({ code: 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED' })

  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  expect([refreshed.claims()?.sub, refreshed.claims()?.nonce]).toEqual([app.grace.id, undefined])
  expect(await client.tokenIntrospection(config, refreshed.access_token)).toMatchObject({ active: true, sub })
  await client.tokenRevocation(config, refreshed.refresh_token ?? '')
  expect(await client.tokenIntrospection(config, refreshed.access_token)).toEqual({ active: false })
})

test.each([
  ['connects a device', 'allow', { scope: expect.stringContaining('openid') }],
  ['sees that its user refused', 'deny', { error: 'access_denied' }],
])('openid-client: a device that polls %s', async (_what, decision, expected) => {
  const device = await client.initiateDeviceAuthorization(config, { scope: SCOPE })
  expect(device).toMatchObject({ verification_uri: `${app.base}/device`, expires_in: 600, interval: 5 })
  await app.answer(await app.loggedIn(), device, decision)
  const atOnce = { ...device, interval: 0 } // the service of these tests throttles nobody
  const outcome = await client.pollDeviceAuthorizationGrant(config, atOnce).catch((error: unknown) => error)
  expect(outcome).toMatchObject(expected)
})
