import { exportJWK, generateKeyPair } from 'jose'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApplication } from '../../../src/domain/applications/applications.ts'
import type { TestClient } from '../../support/context.ts'
import { CALLBACK, NATIVE_CALLBACK } from '../../support/flows.ts'
import { createPeopleApp, type PeopleApp } from '../../support/people.ts'

let app: PeopleApp
let server: oauth.AuthorizationServer
beforeAll(async () => {
  app = await createPeopleApp()
  server = await discover()
})
afterAll(() => app[Symbol.asyncDispose]())

const insecure = { [oauth.allowInsecureRequests]: true }

async function discover() {
  const issuer = new URL(app.base)
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  return oauth.processDiscoveryResponse(issuer, found)
}

/** The first half of the code flow: from the metadata to the parameters of the redirect, which the library checks. */
async function allow(client: oauth.Client, redirectUri: string, answer: 'allow' | 'deny' = 'allow') {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'user:read',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  const browser = await app.loggedIn()
  const page = await browser.get(url.href)
  const { location } = await browser.submit(page, '/oauth/authorize', { decision: answer })
  if (!location) throw new Error('The browser was not sent back')
  return { verifier, parameters: oauth.validateAuthResponse(server, client, location, state) }
}

const ways: [string, () => TestClient, string, (secret: string) => oauth.ClientAuth][] = [
  ['a confidential client by Basic', () => app.client, CALLBACK, oauth.ClientSecretBasic],
  ['a confidential client by the body', () => app.client, CALLBACK, oauth.ClientSecretPost],
  ['a public client', () => app.native, NATIVE_CALLBACK, oauth.None],
]

test.each(ways)('oauth4webapi: %s gets, uses, refreshes and revokes tokens', async (_what, which, redirectUri, how) => {
  const { id, secret = '' } = which()
  const client = { client_id: id }
  const authentication = how(secret)
  const { verifier, parameters } = await allow(client, redirectUri)

  const exchange = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    parameters,
    redirectUri,
    verifier,
    insecure,
  )
  const granted = await oauth.processAuthorizationCodeResponse(server, client, exchange)
  expect(granted).toMatchObject({ scope: 'user:read', expires_in: 3600 })

  const me = await oauth.protectedResourceRequest(
    granted.access_token,
    'GET',
    new URL('/v1/users/me', app.base),
    undefined,
    undefined,
    insecure,
  )
  expect(await me.json()).toMatchObject({ data: { username: 'grace' } })

  const again = await oauth.refreshTokenGrantRequest(
    server,
    client,
    authentication,
    granted.refresh_token ?? '',
    insecure,
  )
  const refreshed = await oauth.processRefreshTokenResponse(server, client, again)
  const revocation = await oauth.revocationRequest(
    server,
    client,
    authentication,
    refreshed.refresh_token ?? '',
    insecure,
  )
  await oauth.processRevocationResponse(revocation)
  expect(await app.statusOf(refreshed.access_token)).toBe(401)
})

test('oauth4webapi: client credentials', async () => {
  const client = { client_id: app.client.id }
  const authentication = oauth.ClientSecretBasic(app.client.secret ?? '')
  const reply = await oauth.clientCredentialsGrantRequest(
    server,
    client,
    authentication,
    { scope: 'chat:read' },
    insecure,
  )
  const granted = await oauth.processClientCredentialsResponse(server, client, reply)
  expect(granted).toMatchObject({ scope: 'chat:read', token_type: 'bearer' })
})

test('oauth4webapi: a client that signs (private_key_jwt)', async () => {
  const { privateKey, publicKey } = await generateKeyPair('PS256')
  const operator = { ...app.context, principal: { kind: 'operator' } } as const
  const jwks = { keys: [await exportJWK(publicKey)] }
  const { id: client_id } = await createApplication(operator, { name: 'It signs', confidential: true, jwks })
  const client = { client_id }
  const authentication = oauth.PrivateKeyJwt({ key: privateKey })
  const reply = await oauth.clientCredentialsGrantRequest(server, client, authentication, {}, insecure)
  const { access_token } = await oauth.processClientCredentialsResponse(server, client, reply)
  const revocation = await oauth.revocationRequest(server, client, authentication, access_token, insecure)
  await oauth.processRevocationResponse(revocation)
})

test('oauth4webapi: a client that binds its tokens (DPoP)', async () => {
  const operator = { ...app.context, principal: { kind: 'operator' } } as const
  const registered = { name: 'It binds', confidential: false, redirect_uris: [NATIVE_CALLBACK], dpop_bound: true }
  const { id: client_id } = await createApplication(operator, registered)
  const client = { client_id }
  const DPoP = oauth.DPoP({}, await oauth.generateKeyPair('ES256'))
  const { verifier, parameters } = await allow(client, NATIVE_CALLBACK)
  const asked = [server, client, oauth.None(), parameters, NATIVE_CALLBACK, verifier] as const
  const exchange = await oauth.authorizationCodeGrantRequest(...asked, { ...insecure, DPoP })
  const granted = await oauth.processAuthorizationCodeResponse(server, client, exchange)
  expect(granted.token_type).toBe('dpop')

  const bound = { ...insecure, DPoP }
  const again = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), granted.refresh_token ?? '', bound)
  const { access_token } = await oauth.processRefreshTokenResponse(server, client, again)
  const url = new URL('/v1/users/me', app.base)
  const me = await oauth.protectedResourceRequest(access_token, 'GET', url, undefined, undefined, bound)
  expect(await me.json()).toMatchObject({ data: { username: 'grace' } })
  expect(await app.statusOf(access_token)).toBe(401)
})

test('oauth4webapi: sees a plain error at the endpoints of the metadata', async () => {
  const client = { client_id: app.client.id }
  const authentication = oauth.ClientSecretPost(app.client.secret ?? '')
  const reply = await oauth.refreshTokenGrantRequest(server, client, authentication, 'lsrt_x', insecure)
  const failure = oauth.processRefreshTokenResponse(server, client, reply)
  await expect(failure).rejects.toMatchObject({ error: 'invalid_grant', status: 400 })

  const wrong = await oauth.clientCredentialsGrantRequest(
    server,
    client,
    oauth.ClientSecretBasic('wrong'),
    {},
    insecure,
  )
  const refused = oauth.processClientCredentialsResponse(server, client, wrong)
  await expect(refused).rejects.toMatchObject({ cause: [{ scheme: 'basic', parameters: { error: 'invalid_client' } }] })
})

test('oauth4webapi: sees that a code is bad', async () => {
  const client = { client_id: app.client.id }
  const { verifier, parameters } = await allow(client, CALLBACK)
  const how = oauth.ClientSecretBasic(app.client.secret ?? '')
  const wrong = oauth.generateRandomCodeVerifier() === verifier ? '' : oauth.generateRandomCodeVerifier()
  const reply = await oauth.authorizationCodeGrantRequest(server, client, how, parameters, CALLBACK, wrong, insecure)
  const failure = oauth.processAuthorizationCodeResponse(server, client, reply)
  await expect(failure).rejects.toMatchObject({
    error: 'invalid_grant',
    error_description: expect.stringMatching(/code/),
  })
})

test('oauth4webapi: finds the code of an error at the documented path in its challenge', async () => {
  const documented = { ...server, token_endpoint: `${app.base}/oauth/token` }
  const client = { client_id: app.client.id }
  const authentication = oauth.ClientSecretPost(app.client.secret ?? '')
  const reply = await oauth.refreshTokenGrantRequest(documented, client, authentication, 'lsrt_x', insecure)
  const failure = oauth.processRefreshTokenResponse(documented, client, reply)
  await expect(failure).rejects.toMatchObject({ cause: [{ parameters: { error: 'invalid_grant' } }] })
})

test('oauth4webapi: a denial is an error of the redirect', async () => {
  const denied = allow({ client_id: app.native.id }, NATIVE_CALLBACK, 'deny')
  await expect(denied).rejects.toMatchObject({ error: 'access_denied' })
})

test('oauth4webapi: the metadata of the resource leads to the server', async () => {
  const resource = new URL(app.base)
  const found = await oauth.resourceDiscoveryRequest(resource, insecure)
  const { authorization_servers } = await oauth.processResourceDiscoveryResponse(resource, found)
  expect(authorization_servers).toEqual([server.issuer])
})
