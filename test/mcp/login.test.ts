import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentTools } from '../../src/rest/mcp/tools.ts'
import { NATIVE_CALLBACK } from '../support/flows.ts'
import { createPeopleApp, type PeopleApp, parametersOf } from '../support/people.ts'

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** What an agent has to keep, for the client of either SDK. */
function createAgent() {
  type Kept = { tokens: OAuthTokens | undefined; verifier: string; asked: URL[]; discovered?: object }
  const kept: Kept = { tokens: undefined, verifier: '', asked: [] }
  const provider: OAuthClientProvider = {
    redirectUrl: NATIVE_CALLBACK,
    clientMetadata: { redirect_uris: [NATIVE_CALLBACK] },
    clientInformation: () => ({ client_id: app.native.id }),
    tokens: () => kept.tokens,
    saveTokens: (given) => {
      kept.tokens = given
    },
    redirectToAuthorization: (url) => void kept.asked.push(url),
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier,
    state: () => 'a state',
    saveDiscoveryState: (found) => {
      kept.discovered = found
    },
    discoveryState: () => kept.discovered as Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>,
  }
  return { kept, provider }
}

type Called = { content?: { text?: string }[] }
type AnyClient = {
  connect(transport: AnyTransport): Promise<void>
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments: object }): Promise<Called>
  close(): Promise<void>
}
type AnyTransport = { finishAuth(code: string, iss?: string): Promise<void> }
type Kind = [string, new (info: object) => AnyClient, new (url: URL, options: object) => AnyTransport]
// the types of neither fit the other's, nor their own under exactOptionalPropertyTypes
const kinds = [
  ['the first SDK', FirstClient, FirstTransport],
  ['the second SDK', Client, StreamableHTTPClientTransport],
] as unknown as Kind[]
const named = { name: 'test', version: '1' }

describe.each(kinds)('an agent with %s', (kind, AgentClient, Transport) => {
  const serverUrl = () => `${app.base}/mcp`
  /** As a program begins: by what was kept. */
  async function connect(provider: OAuthClientProvider) {
    const transport = new Transport(new URL(serverUrl()), { authProvider: provider })
    const client = new AgentClient(named)
    const refused = await client.connect(transport).then(
      () => undefined,
      (error: Error) => error,
    )
    return { client, transport, refused }
  }
  const whoAmI = async (client: AnyClient) => {
    const { content = [] } = await client.callTool({ name: 'getCurrentUser', arguments: {} })
    return JSON.parse(content[0]?.text ?? '').username
  }

  test('finds where to log in, gets a token that is good for /mcp alone, calls, and refreshes it', async () => {
    const { kept, provider } = createAgent()
    const stranger = await connect(provider)
    expect(stranger.refused?.name).toMatch(/^(UnauthorizedError|Error)$/)
    expect(kept.asked.map((url) => url.searchParams.get('resource'))).toEqual([serverUrl()])

    const browser = await app.loggedIn()
    kept.asked[0]?.searchParams.set('scope', 'user:read') // it asks for all that there are
    const asked = await browser.get(kept.asked[0]?.href ?? '')
    const page = await browser.submit(asked, '/oauth/authorize', { decision: 'allow' })
    const { code = '', iss } = parametersOf(page)
    await stranger.transport.finishAuth(code, iss)

    const { client, refused } = await connect(provider)
    expect(refused).toBeUndefined()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual(agentTools.map(({ name }) => name).toSorted())
    expect(await whoAmI(client)).toBe('grace')
    const first = kept.tokens
    expect(await app.statusOf(first?.access_token ?? '')).toBe(401)

    kept.tokens = { ...first, token_type: 'Bearer', access_token: 'lsat_that_has_ended' }
    expect(await whoAmI(client)).toBe('grace')
    expect(kept.tokens.refresh_token).not.toBe(first?.refresh_token)
    expect(kept.asked).toHaveLength(1)

    const send = { name: 'sendChatMessage', arguments: { room_name: 'grace', content: 'x' } }
    await expect(client.callTool(send)).rejects.toThrow()
    if (kind === 'the second SDK') expect(kept.asked[1]?.searchParams.get('scope')).toBe('user:read chat:write')
    await client.close()
  })
})
