import { AuthorizationCode, ClientCredentials } from 'simple-oauth2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CALLBACK, pkce } from '../../support/flows.ts'
import { createPeopleApp, type PeopleApp, parametersOf } from '../../support/people.ts'

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** The library knows nothing of metadata: its users take the paths from the documentation. */
const configuration = (authorizationMethod: 'header' | 'body', secret = app.client.secret ?? '') => ({
  client: { id: app.client.id, secret },
  auth: {
    tokenHost: app.base,
    tokenPath: '/oauth/token',
    revokePath: '/oauth/revoke',
  },
  options: { authorizationMethod },
})

async function granted(authorizationMethod: 'header' | 'body', alter = (code: string) => code) {
  const { auth, ...rest } = configuration(authorizationMethod)
  const library = new AuthorizationCode({ ...rest, auth: { ...auth, authorizePath: '/oauth/authorize' } })
  const { verifier, challenge } = pkce()
  const asked = { redirect_uri: CALLBACK, scope: 'user:read', state: 'x', prompt: 'consent' }
  const url = library.authorizeURL({
    ...asked,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  } as typeof asked)
  const browser = await app.loggedIn()
  const page = await browser.submit(await browser.get(url), '/oauth/authorize', { decision: 'allow' })
  const { code = '' } = parametersOf(page)
  const exchange = { code: alter(code), redirect_uri: CALLBACK, code_verifier: verifier }
  return library.getToken(exchange)
}

test.each(['header', 'body'] as const)(
  'simple-oauth2: gets, refreshes and revokes tokens, by the %s',
  async (method) => {
    const first = await granted(method)
    expect(await app.statusOf(String(first.token.access_token))).toBe(200)
    expect(first.expired()).toBe(false)
    const next = await first.refresh()
    expect(next.token.refresh_token).not.toBe(first.token.refresh_token)
    await next.revoke('access_token')
    expect(await app.statusOf(String(next.token.access_token))).toBe(401)
    expect(await app.statusOf(String(first.token.access_token))).toBe(200)
    await next.revokeAll()
    expect(await app.statusOf(String(first.token.access_token))).toBe(401)
  },
)

test('simple-oauth2: gets a token of the application', async () => {
  const { token } = await new ClientCredentials(configuration('header')).getToken({ scope: 'chat:read' })
  expect(token).toMatchObject({ scope: 'chat:read', token_type: 'Bearer' })
})

test('simple-oauth2: finds the code of an error in the body', async () => {
  const wrong = new ClientCredentials(configuration('body', 'wrong')).getToken({})
  await expect(wrong).rejects.toMatchObject({ data: { payload: { error: { code: 'invalid_client' } } } })
  const first = await granted('body')
  await first.revokeAll()
  await expect(first.refresh()).rejects.toMatchObject({ data: { payload: { error: { code: 'invalid_grant' } } } })
})

test('simple-oauth2: sees that a code is bad', async () => {
  const error = { code: 'invalid_grant', message: expect.stringContaining('code') }
  await expect(granted('header', (code) => `${code}x`)).rejects.toMatchObject({ data: { payload: { error } } })
})
