import { afterAll, describe, expect, test } from 'vitest'
import { makePartitions } from '../../src/db/partitions.ts'
import { apiKeys, clients, requestLog } from '../../src/db/schema/index.ts'
import { createKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { explainRequest } from '../../src/domain/requests/explain.ts'
import { listRequests, type RequestFilter } from '../../src/domain/requests/list.ts'
import { summarizeRequests } from '../../src/domain/requests/summary.ts'
import { writeRequestLog } from '../../src/domain/requests/write.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp({ trustProxy: 1 })
afterAll(() => app[Symbol.asyncDispose]())
await makePartitions(app.context.db, app.clock.at, { back: 9 })

const person = await app.user('developer')
const asOwner = {
  ...app.context,
  principal: { kind: 'user', userId: person.id, username: 'developer', clientId: null, scopes: [] },
} as const

async function application() {
  const { id } = await createApplication(asOwner, {
    name: 'Mine',
    confidential: true,
    redirect_uris: ['http://127.0.0.1/callback'],
  })
  const created = await createKey(asOwner, { application_id: id, name: 'CI', scopes: ['channel:read'] })
  return { id, key: created.key, keyId: created.id }
}

async function logged(application_id: string, filter: Partial<RequestFilter> = {}) {
  await writeRequestLog(app.context)
  return (await listRequests(asOwner, { application_id, limit: 100, ...filter })).items
}

test('a failure is kept with its code, its message, its key, its address and what was sent; a success without', async () => {
  const { id, key, keyId } = await application()
  const headers = { 'x-forwarded-for': '203.0.113.77', 'x-request-id': `wanted-${id}` }
  await app.request('GET /v1/channels/nobody?limit=5', { token: key, headers })
  await app.request('GET /v1/channels/', { token: key, headers })
  const found = await logged(id)
  const [success, failure] = [200, 404].map((status) => found.find((one) => one.status === status))
  expect(failure).toMatchObject({
    request_id: `wanted-${id}`,
    operation: 'GET /v1/channels/{slug}',
    status: 404,
    code: 'channel_not_found',
    message: 'No channel has this slug.',
    credential_id: keyId,
    address: '203.0.113.77',
  })
  expect(JSON.parse(failure?.sent ?? '')).toEqual({ path: '/v1/channels/nobody', query: { limit: '5' } })
  expect(success).toMatchObject({ status: 200, code: null, message: null, sent: null })
})

test('a stranger who makes up identifiers hides nothing that an application fails in, in the same minute and from the same place', async () => {
  const { id } = await application()
  const fail = (client_id: string, requestId: string) =>
    app.request('POST /oauth/token', {
      body: { grant_type: 'client_credentials', client_id, client_secret: 'x' },
      headers: { 'x-forwarded-for': '198.51.100.7', 'x-request-id': requestId },
    })
  await fail(id, `before-${id}`)
  for (let n = 0; n < 640; n += 16)
    await Promise.all(Array.from({ length: 16 }, (_, k) => fail(newId('client', app.clock.at), `made-up-${n + k}`)))
  expect((await fail(id, `mine-${id}`)).status).toBe(429)
  const kept = (await logged(id)).map(({ request_id }) => request_id)
  expect(kept.toSorted()).toEqual([`before-${id}`, `mine-${id}`])
})

test('what agents ask is kept by tool: what was wrong with its input, and who was refused without it', async () => {
  const { id, key } = await application()
  const headers = { accept: 'application/json, text/event-stream' }
  const called = (name: string, given: object) =>
    app.request('POST /mcp', {
      token: key,
      headers,
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
    })
  await called('getChannel', { slug: 'nobody' })
  await called('sendChatMessage', { room_name: 'developer', content: 'not for the log' })
  const found = await logged(id)
  expect(found.map(({ operation, status, code }) => [operation, status, code]).toSorted()).toEqual([
    ['/mcp/getChannel', 404, 'channel_not_found'],
    ['/mcp/sendChatMessage', 403, 'insufficient_scope'],
  ])
  const [failure] = found.filter(({ status }) => status === 404)
  expect(JSON.parse(failure?.sent ?? '')).toEqual({ body: { slug: 'nobody' } })
  expect(JSON.stringify(found)).not.toContain('not for the log')
})

test('of a request for a person only the network is kept, in both kinds of addresses', async () => {
  const { id } = await application()
  const user = await app.user(`u${id.slice(-10)}`)
  const token = await app.token(['channel:read'], { user, client: { id, secret: undefined } })
  for (const address of ['203.0.113.77', '2001:db8:1:2::3']) {
    await app.request('GET /v1/channels/nobody', { token, headers: { 'x-forwarded-for': address } })
  }
  const found = await logged(id)
  expect(found.map(({ address }) => address).toSorted()).toEqual(['2001:db8:1::/48', '203.0.113.0/24'])
  expect(found[0]?.credential_id).toMatch(/^grt_/)
})

test('calls at /trpc are kept one by one, with the input of what failed', async () => {
  const { id, key } = await application()
  const input = encodeURIComponent(JSON.stringify({ 0: { slug: 'nobody' }, 1: {} }))
  await app.request(`GET /trpc/channels.get,chat.list?batch=1&input=${input}`, { token: key })
  const found = await logged(id)
  expect(found.map(({ operation, code }) => [operation, code]).toSorted()).toEqual([
    ['/trpc/channels.get', 'channel_not_found'],
    ['/trpc/chat.list', 'insufficient_scope'],
  ])
  expect(found.find(({ code }) => code === 'channel_not_found')?.sent).toBe('{"body":{"slug":"nobody"}}')
  expect(found.find(({ code }) => code === 'insufficient_scope')?.sent).toBeNull()
})

describe('who cannot be admitted any more is found in the log', () => {
  test('by a key that has expired, or was revoked', async () => {
    const { id, key, keyId } = await application()
    await app.context.db.update(apiKeys).set({ expiresAt: new Date(0) })
    expect((await app.request('GET /v1/channels/', { token: key })).body.error.code).toBe('invalid_token')
    expect(await logged(id)).toMatchObject([{ status: 401, code: 'invalid_token', credential_id: keyId }])
  })

  test('by a wrong secret at the token endpoint; fields that may be secrets are not shown', async () => {
    const { id } = await application()
    const body = { grant_type: 'client_credentials', client_id: id, client_secret: 'hunter2', clientSecret: 'x' }
    expect((await app.request('POST /oauth/token', { body })).status).toBe(401)
    const [found] = await logged(id)
    expect(found).toMatchObject({ operation: 'POST /oauth/token', code: 'invalid_client', address: '127.0.0.0/24' })
    expect(JSON.parse(found?.sent ?? '').body).toEqual({ ...body, client_secret: '…', clientSecret: '…' })
  })

  test('but an application that does not exist has no log, and hinders no other', async () => {
    const { id, key } = await application()
    const client_id = `${id.slice(0, -4)}0000`
    await app.request('POST /oauth/token', {
      body: { grant_type: 'client_credentials', client_id, client_secret: 'x' },
    })
    await app.request('GET /v1/channels/nobody', { token: key })
    expect(await logged(id)).toHaveLength(1)
    expect((await app.context.db.select().from(requestLog)).some((row) => row.clientId === client_id)).toBe(false)
  })
})

test('filters by status, code, operation, key, time and text; pages follow each other without gaps', async () => {
  const { id, key, keyId } = await application()
  // no word that the identifier of a request could hold by chance: that is hexadecimal
  for (const slug of ['first', 'second', 'third']) await app.request(`GET /v1/channels/${slug}`, { token: key })
  app.clock.at = new Date(app.clock.at.getTime() + 1_000)
  await app.request('GET /v1/chat/messages?room_name=x', { token: key })
  await app.request('GET /v1/channels/', { token: key })
  const count = async (filter: Partial<RequestFilter>) => (await logged(id, filter)).length
  const [newest] = await logged(id)
  expect(await count({ status: 'failed' })).toBe(4)
  expect(await count({ status: '2xx' })).toBe(1)
  expect(await count({ status: 403 })).toBe(1)
  expect(await count({ code: 'channel_not_found' })).toBe(3)
  expect(await count({ operation: 'GET /v1/chat/messages' })).toBe(1)
  expect(await count({ credential_id: keyId })).toBe(5)
  expect(await count({ credential_id: 'key_other' })).toBe(0)
  expect(await count({ text: 'SECOND' })).toBe(1)
  expect(await count({ from: newest?.at })).toBe(2)
  expect(await count({ to: newest?.at })).toBe(3)
  const first = await listRequests(asOwner, { application_id: id, limit: 3 })
  const second = await listRequests(asOwner, { application_id: id, limit: 3, cursor: first.next ?? undefined })
  expect([first.items.length, second.items.length, second.next]).toEqual([3, 2, null])
  const { groups, omitted } = await summarizeRequests(asOwner, { application_id: id })
  expect(omitted).toBe(0)
  expect(groups.map(({ code, count: times }) => [code, times])).toEqual([
    ['channel_not_found', 3],
    ['insufficient_scope', 1],
  ])
})

describe('a request id explains its answer', () => {
  test('to the owner with everything, to the application without address and body, to nobody else', async () => {
    const { id, key } = await application()
    const answer = await app.request('GET /v1/chat/messages?room_name=x', { token: key })
    const request_id = answer.headers.get('x-request-id') ?? ''
    await writeRequestLog(app.context)
    const [explained] = await explainRequest(asOwner, { request_id })
    expect(explained).toMatchObject({
      status: 403,
      code: 'insufficient_scope',
      application_name: 'Mine',
      key: { name: 'CI' },
    })
    expect([explained?.address, explained?.remedy]).toEqual(['127.0.0.1', expect.stringMatching(/scope/)])

    const ask = (token: string) =>
      app.request(`GET /trpc/requests.explain?input=${encodeURIComponent(JSON.stringify({ request_id }))}`, { token })
    const own = await ask(key)
    expect(own.body.result.data).toMatchObject([
      { code: 'insufficient_scope', application_id: id, address: null, sent: null },
    ])
    const other = await application()
    expect((await ask(other.key)).status).toBe(404)
    const user = await app.token(['channel:read'], { user: person, client: { id, secret: undefined } })
    expect((await ask(user)).status, 'a token of its owner is no login of theirs').toBe(404)
    const stranger = await app.user(`s${id.slice(-10)}`)
    const asStranger = { ...asOwner, principal: { ...asOwner.principal, userId: stranger.id } }
    await expect(explainRequest(asStranger, { request_id })).rejects.toMatchObject({ code: 'not_found' })
    await expect(listRequests(asStranger, { application_id: id, limit: 1 })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(summarizeRequests(asStranger, { application_id: id })).rejects.toMatchObject({ code: 'not_found' })
    expect(await explainRequest({ ...app.context, principal: { kind: 'operator' } }, { request_id })).toHaveLength(1)
  })

  test('the log of an application that was deleted is nobody’s', async () => {
    const { id, key } = await application()
    const answer = await app.request('GET /v1/channels/nobody', { token: key })
    await writeRequestLog(app.context)
    await app.context.db.delete(apiKeys)
    await app.context.db.delete(clients)
    const request_id = answer.headers.get('x-request-id') ?? ''
    await expect(explainRequest(asOwner, { request_id })).rejects.toMatchObject({ code: 'not_found' })
    expect(id).toBeTruthy()
  })
})
