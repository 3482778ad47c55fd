import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, describe, expect, test } from 'vitest'
import { scopes } from '../../src/domain/core/scopes.ts'
import { UsageCounts } from '../../src/domain/usage/counts.ts'
import { agentTools } from '../../src/rest/mcp/tools.ts'
import { createTestApp } from '../support/app.ts'

const usage = new UsageCounts(() => new Date())
const app = await createTestApp({ usage })
afterAll(() => app[Symbol.asyncDispose]())
const ada = await app.user('ada')
const bob = await app.user('bob')
const token = await app.token(scopes, { user: ada })

const named = { name: 'test', version: '1' }
const requestInit = (credential: string) => ({ headers: { authorization: `Bearer ${credential}` } })
const address = () => new URL(`${app.base}/mcp`)

const NEWEST = '2026-07-28'
type Mode = NonNullable<ConstructorParameters<typeof Client>[1]>['versionNegotiation']

/** The client of the second SDK, which speaks as the first one does unless it is told to ask for the newest version of the protocol. */
async function newClient(credential = token, versionNegotiation?: Mode) {
  const client = new Client(named, versionNegotiation && { versionNegotiation })
  await client.connect(new StreamableHTTPClientTransport(address(), { requestInit: requestInit(credential) }))
  expect(client.getNegotiatedProtocolVersion() === NEWEST).toBe(versionNegotiation !== undefined)
  return client
}
/** That of the first one, as most agents of today have it. */
async function oldClient(credential = token) {
  const client = new FirstClient(named)
  // its own types do not fit each other under exactOptionalPropertyTypes
  const transport = new FirstTransport(address(), { requestInit: requestInit(credential) })
  await client.connect(transport as unknown as Parameters<FirstClient['connect']>[0])
  return client
}
type Called = { isError?: boolean; content?: { type: string; text?: string }[] }
type AnyClient = {
  listTools(): Promise<{ tools: { name: string; title?: string; description?: string; annotations?: object }[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<Called>
  close(): Promise<void>
}
const kinds: [string, (credential?: string) => Promise<AnyClient>][] = [
  ['the first SDK', async (credential) => (await oldClient(credential)) as unknown as AnyClient],
  ['the second SDK', async (credential) => (await newClient(credential)) as unknown as AnyClient],
  [
    'the second SDK, by the newest version of the protocol',
    async (credential) => (await newClient(credential, { mode: { pin: NEWEST } })) as unknown as AnyClient,
  ],
  [
    'the second SDK, by whatever version both know',
    async (credential) => (await newClient(credential, { mode: 'auto' })) as unknown as AnyClient,
  ],
]
const answerOf = ({ content = [] }: Called) => {
  const [{ text = '' } = {}] = content
  return text.startsWith('{') ? JSON.parse(text) : text
}
const call = async (client: AnyClient, name: string, given: Record<string, unknown> = {}) =>
  answerOf(await client.callTool({ name, arguments: given }))

describe.each(kinds)('an agent with %s', (_, connect) => {
  test('lists the tools: every operation for which there is a scope', async () => {
    const client = await connect()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name).toSorted()).toEqual(agentTools.map(({ name }) => name).toSorted())
    expect(tools.find(({ name }) => name === 'createBan')).toMatchObject({
      title: 'Ban a user from your channel',
      description: expect.stringMatching(
        /shut out of the chat.*Needs a user’s token with the scope moderation:write\.$/,
      ),
      annotations: { readOnlyHint: false, destructiveHint: true },
      inputSchema: { type: 'object', required: ['user_id'], properties: { user_id: { type: 'string' } } },
    })
    expect(tools.find(({ name }) => name === 'listChannels')?.annotations).toMatchObject({
      readOnlyHint: true,
      destructiveHint: false,
    })
    await client.close()
  })

  test('calls every tool', async () => {
    const client = await connect()
    const said = await call(client, 'sendChatMessage', { room_name: 'ada', content: 'from an agent' })
    expect(said).toMatchObject({ room_name: 'ada', content: 'from an agent' })
    const hook = { url: 'https://example.com/hook', event_types: ['chat.message.sent'] }
    const { id } = await call(client, 'createSubscription', hook)
    const { body } = await app.request('POST /trpc/livestreams.start', { token, body: {} })
    const calls: [string, Record<string, unknown>, unknown][] = [
      ['getCurrentUser', {}, { username: 'ada' }],
      ['listChannels', { limit: 1 }, { items: [{ username: 'ada' }], next: expect.any(String) }],
      ['getChannel', { slug: 'bob' }, { username: 'bob' }],
      ['listCategories', {}, { items: [], next: null }],
      ['getCategory', { id: 'none' }, { error: { code: 'category_not_found' } }],
      ['listLivestreams', {}, { items: [{ channel: { username: 'ada' } }] }],
      ['getLivestream', { id: body.result.data.id }, { channel: { username: 'ada' } }],
      ['listChatMessages', { room_name: 'ada' }, { items: [{ id: said.id }] }],
      ['listBans', {}, { items: [] }],
      ['createBan', { user_id: bob.id }, { blocked_user: { username: 'bob' } }],
      ['listSubscriptions', {}, { items: [{ id }] }],
      [
        'readEvents',
        { since: '2026-01-01T00:00:00Z', types: 'chat.message.sent' },
        {
          events: expect.arrayContaining([expect.objectContaining({ data: expect.objectContaining({ id: said.id }) })]),
        },
      ],
      ['deleteSubscription', { id }, 'Done.'],
      ['deleteChatMessage', { messageId: said.id }, 'Done.'],
    ]
    for (const [name, given, answer] of calls) {
      const result = await call(client, name, given)
      if (typeof answer === 'string') expect(result, name).toBe(answer)
      else expect(result, name).toMatchObject(answer as object)
    }
    const called = new Set(['sendChatMessage', 'createSubscription', ...calls.map(([name]) => name)])
    expect(agentTools.filter(({ name }) => !called.has(name)).map(({ name }) => name)).toEqual([])
    await client.close()
    await app.request('POST /trpc/livestreams.end', { token, body: {} })
    await app.request('POST /trpc/moderation.unban', { token, body: { user_id: bob.id } })
  })

  test('is told in words what is wrong with a call', async () => {
    const client = await connect()
    expect(await call(client, 'sendChatMessage', { content: 'x' })).toEqual({
      error: { code: 'invalid_request', message: 'room_name: is required (string).' },
    })
    expect(await call(client, 'sendChatMessage', { room_name: 'nobody', content: 'x' })).toMatchObject({
      error: { code: 'unknown_room' },
    })
    await client.close()
  })

  test('does nothing that its scopes do not say', async () => {
    const client = await connect(await app.token(['chat:read'], { user: ada }))
    await expect(call(client, 'sendChatMessage', { room_name: 'ada', content: 'x' })).rejects.toThrow()
    expect(await call(client, 'listChatMessages', { room_name: 'ada' })).toMatchObject({ items: expect.any(Array) })
    await client.close()
  })
})

describe('/mcp', () => {
  const post = (body: object | string, credential?: string, headers: Record<string, string> = {}) =>
    app.request('POST /mcp', {
      token: credential,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    })
  const toolCall = (name: string, given: object = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  })

  test('leads whoever has no credential to where they get one', async () => {
    for (const credential of [undefined, 'nobody']) {
      const { status, headers } = await post(toolCall('listChannels'), credential)
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toContain(
        `resource_metadata="${app.base}/.well-known/oauth-protected-resource/mcp"`,
      )
    }
    const { body } = await app.request('GET /.well-known/oauth-protected-resource/mcp')
    expect(body).toMatchObject({ resource: `${app.base}/mcp`, authorization_servers: [app.base] })
  })

  test('takes no cookie for a credential', async () => {
    expect((await post(toolCall('listChannels'), undefined, { cookie: 'sid=x' })).status).toBe(401)
  })

  /** Of every tool, now and in future: too few scopes, and an application where a user is needed. */
  test.each(agentTools.map(({ name, access }) => [name, access] as const))(
    '%s is closed to whom it is not for',
    async (name, access) => {
      if (access.kind !== 'scopes') throw new Error('open')
      const others = scopes.filter((scope) => !access.scopes.includes(scope))
      const weak = await post(toolCall(name), await app.token(others, { user: ada }))
      expect([weak.status, weak.body.error.code]).toEqual([403, 'insufficient_scope'])
      expect(weak.headers.get('www-authenticate')).toContain(`scope="${access.scopes.join(' ')}"`)
      if (access.by !== 'user') return
      const application = await post(toolCall(name), await app.token(scopes))
      expect([application.status, application.body.error.code]).toEqual([403, 'user_token_required'])
    },
  )

  test('tells of the limit of requests, and keeps to it: one message is one request', async () => {
    const own = await app.token(['channel:read'], { user: bob })
    const { headers } = await post(toolCall('listChannels'), own)
    const before = Number(headers.get('ratelimit-remaining'))
    await post(toolCall('listChannels'), own)
    const { headers: later } = await app.request('GET /v1/channels/', { token: own })
    expect(Number(later.get('ratelimit-remaining'))).toBe(before - 2)
    const many = await post(JSON.stringify([toolCall('listChannels'), toolCall('listChannels')]), own)
    expect([many.status, many.body.error.code]).toEqual([400, 'invalid_request'])
  })

  test('bounds bodies, takes no other methods, and keeps no streams and no sessions', async () => {
    expect((await post(toolCall('getChannel', { slug: 'x'.repeat(70_000) }), token)).status).toBe(413)
    expect((await post('{', token)).status).toBe(400)
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await app.request(`${method} /mcp`, { token })
      expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    }
    const { headers } = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize }, token)
    expect(headers.get('mcp-session-id')).toBeNull()
    const listening = await post({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: {} }, token)
    expect(listening.text).toContain('"error"')
  })
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: named }

  test('counts what applications have agents do', async () => {
    const client = await app.client()
    const own = await app.token(['channel:read'], { user: ada, client })
    usage.take()
    for (const slug of ['ada', 'nobody']) await post(toolCall('getChannel', { slug }), own)
    await post(toolCall('listBans'), own)
    expect(
      usage.take().map(({ clientId, operation, requests, errors }) => [clientId, operation, requests, errors]),
    ).toEqual([
      [client.id, '/mcp/getChannel', 2, 1],
      [client.id, '/mcp/listBans', 1, 1],
    ])
  })

  test('a tool that destroys something says so, and every deletion does', () => {
    const dangerous = agentTools.filter(({ annotations }) => annotations.destructiveHint)
    const deletions = agentTools.filter(({ route }) => route.operation.method === 'DELETE')
    expect(dangerous).toEqual(expect.arrayContaining(deletions))
    expect(dangerous.map(({ name }) => name)).toContain('createBan')
    for (const { description, route, annotations } of dangerous) {
      expect(description).toContain(route.operation.destroys)
      expect(annotations.readOnlyHint).toBe(false)
    }
  })
})
