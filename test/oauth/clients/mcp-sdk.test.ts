import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { credentials, NATIVE_CALLBACK } from '../../support/flows.ts'
import { createPeopleApp, type PeopleApp, parametersOf } from '../../support/people.ts'

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** What an application has to keep for the SDK. */
function createProvider(tokens?: OAuthTokens) {
  const kept: { tokens: OAuthTokens | undefined; verifier: string; url: URL | undefined; invalidated: string[] } = {
    tokens,
    verifier: '',
    url: undefined,
    invalidated: [],
  }
  const provider: OAuthClientProvider = {
    redirectUrl: NATIVE_CALLBACK,
    clientMetadata: { redirect_uris: [NATIVE_CALLBACK] },
    clientInformation: () => ({ client_id: app.native.id }),
    tokens: () => kept.tokens,
    saveTokens: (given) => {
      kept.tokens = given
    },
    redirectToAuthorization: (url) => {
      kept.url = url
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier,
    state: () => 'a state',
    invalidateCredentials: (what) => {
      kept.invalidated.push(what)
      kept.tokens = undefined
    },
  }
  return { kept, provider }
}

async function authorized(alter = (code: string) => code) {
  const { kept, provider } = createProvider()
  const scope = 'user:read' // else the SDK asks for all that the metadata of the resource lists
  expect(await auth(provider, { serverUrl: app.base, scope })).toBe('REDIRECT')
  const browser = await app.loggedIn()
  const page = await browser.submit(await browser.get(kept.url?.href ?? ''), '/oauth/authorize', { decision: 'allow' })
  const authorizationCode = alter(parametersOf(page).code ?? '')
  expect(await auth(provider, { serverUrl: app.base, authorizationCode })).toBe('AUTHORIZED')
  return { kept, provider }
}

test('MCP SDK: finds the server from the resource, asks, exchanges and refreshes', async () => {
  const { kept, provider } = await authorized()
  const first = kept.tokens
  expect(await app.statusOf(first?.access_token ?? '')).toBe(200)
  expect(first?.scope).toBe('user:read')
  expect(await auth(provider, { serverUrl: app.base })).toBe('AUTHORIZED')
  expect(kept.tokens?.refresh_token).not.toBe(first?.refresh_token)
  expect(await app.statusOf(kept.tokens?.access_token ?? '')).toBe(200)
})

// The SDK revokes nothing itself: whoever does tells it by the next refresh
test('MCP SDK: understands that a grant is gone, and asks again', async () => {
  const { kept, provider } = await authorized()
  await app.revoke({ token: kept.tokens?.refresh_token ?? '', ...credentials(app.native) })
  kept.url = undefined
  expect(await auth(provider, { serverUrl: app.base })).toBe('REDIRECT')
  expect(kept.invalidated).toEqual(['tokens'])
  expect(kept.url).toBeDefined()
})

test('MCP SDK: sees that a code is bad', async () => {
  await expect(authorized((code) => `${code}x`)).rejects.toMatchObject({
    name: 'InvalidGrantError',
    message: expect.stringContaining('code'),
  })
})
