import * as client from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CALLBACK } from '../../support/flows.ts'
import { createPeopleApp, type PeopleApp } from '../../support/people.ts'

let app: PeopleApp
let config: client.Configuration
beforeAll(async () => {
  app = await createPeopleApp()
  const { id, secret } = app.client
  config = await client.discovery(new URL(app.base), id, secret, client.ClientSecretBasic(secret), {
    algorithm: 'oauth2',
    execute: [client.allowInsecureRequests],
  })
})
afterAll(() => app[Symbol.asyncDispose]())

async function allowed() {
  const [verifier, state] = [client.randomPKCECodeVerifier(), client.randomState()]
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'user:read',
    state,
    prompt: 'consent',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  })
  const browser = await app.loggedIn()
  const { location } = await browser.submit(await browser.get(url.href), '/oauth/authorize', { decision: 'allow' })
  if (!location) throw new Error('The browser was not sent back')
  return { location, checks: { pkceCodeVerifier: verifier, expectedState: state } }
}

async function granted() {
  const { location, checks } = await allowed()
  return client.authorizationCodeGrant(config, location, checks)
}

test('openid-client: gets, uses, refreshes and revokes tokens', async () => {
  const tokens = await granted()
  const me = await client.fetchProtectedResource(config, tokens.access_token, new URL('/v1/users/me', app.base), 'GET')
  expect(await me.json()).toMatchObject({ data: { username: 'grace' } })

  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  expect(refreshed.scope).toBe('user:read')
  await client.tokenRevocation(config, refreshed.refresh_token ?? '')
  expect(await app.statusOf(refreshed.access_token)).toBe(401)
})

test('openid-client: gets a token of the application', async () => {
  expect((await client.clientCredentialsGrant(config, { scope: 'chat:read' })).scope).toBe('chat:read')
})

test('openid-client: sees that a code is bad', async () => {
  const { location, checks } = await allowed()
  location.searchParams.set('code', `${location.searchParams.get('code')}x`)
  await expect(client.authorizationCodeGrant(config, location, checks)).rejects.toMatchObject({
    error: 'invalid_grant',
    error_description: expect.stringContaining('code'),
  })
})

test('openid-client: sees what went wrong', async () => {
  const { refresh_token = '' } = await granted()
  await client.tokenRevocation(config, refresh_token)
  await expect(client.refreshTokenGrant(config, refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' })
  await expect(client.clientCredentialsGrant(config, { scope: 'no:such' })).rejects.toMatchObject({
    error: 'invalid_scope',
    error_description: expect.stringContaining('scope'),
  })
})
