import { auth as newAuth } from '@modelcontextprotocol/client'
import { type OAuthClientProvider, auth as oldAuth } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NATIVE_CALLBACK } from '../support/flows.ts'
import { createPeopleApp, type PeopleApp, parametersOf } from '../support/people.ts'

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** What an agent has to keep, for the client of either SDK. */
function createAgent() {
  const kept: { tokens?: OAuthTokens; verifier: string; url?: URL } = { verifier: '' }
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
  }
  return { kept, provider }
}

type Authorize = (provider: OAuthClientProvider, options: object) => Promise<string>
const kinds: [string, Authorize][] = [
  ['the first SDK', oldAuth as unknown as Authorize],
  ['the second SDK', newAuth as unknown as Authorize],
]

describe.each(kinds)('an agent with %s', (_, authorize) => {
  test('finds where to log in, and gets a token that is good for /mcp alone', async () => {
    const { kept, provider } = createAgent()
    const serverUrl = `${app.base}/mcp`
    expect(await authorize(provider, { serverUrl, scope: 'user:read' })).toBe('REDIRECT')
    expect(kept.url?.searchParams.get('resource')).toBe(serverUrl)
    const browser = await app.loggedIn()
    const page = await browser.submit(await browser.get(kept.url?.href ?? ''), '/oauth/authorize', {
      decision: 'allow',
    })
    const { code: authorizationCode, iss } = parametersOf(page)
    expect(await authorize(provider, { serverUrl, authorizationCode, iss })).toBe('AUTHORIZED')

    const token = kept.tokens?.access_token ?? ''
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'getCurrentUser', arguments: {} } }
    const headers = { accept: 'application/json, text/event-stream' }
    const called = await app.request('POST /mcp', { token, body, headers })
    expect([called.status, called.text]).toEqual([200, expect.stringContaining('grace')])
    expect(await app.statusOf(token)).toBe(401)
    expect(await authorize(provider, { serverUrl })).toBe('AUTHORIZED') // by its refresh token
  })
})
