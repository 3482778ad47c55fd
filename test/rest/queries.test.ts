import { afterAll, describe, expect, test } from 'vitest'
import { scopes } from '../../src/domain/core/scopes.ts'
import { routes } from '../../src/rest/openapi/routes.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const alice = await app.user('alice')
const token = await app.token(scopes, { user: alice })
const ask = async (route: string, body?: object) => {
  const answer = await app.request(route, { token, ...(body && { body }) })
  return { status: answer.status, code: answer.body?.error?.code, message: answer.body?.error?.message }
}
const refused = (message: string | RegExp) => ({
  status: 400,
  code: 'invalid_request',
  message: typeof message === 'string' ? message : expect.stringMatching(message),
})

/** A query that has what must be there. */
const needed = (path: string) => (path.startsWith('/v1/chat') ? 'room_name=alice&' : '')

const gets = routes.filter(({ operation }) => operation.method === 'GET')
const reads = gets.filter(({ takesInput }) => takesInput)
const lists = reads.filter(({ operation }) => operation.envelope === 'page' || operation.envelope === 'feed')

describe.each(reads)('$operation.route', ({ operation: { path }, fields, numbers }) => {
  test.each(fields.filter((name) => !path.includes(`{${name}}`)))(
    'an empty %s is 400, not all there is',
    async (name) => {
      const others = name === 'room_name' ? '' : needed(path)
      const message = numbers.includes(name) ? `${name}: must be a whole number.` : `${name}: must not be empty.`
      expect(await ask(`GET ${path}?${others}${name}=`)).toEqual(refused(message))
      expect(await ask(`GET ${path}?${others}${name}`)).toEqual(refused(message))
    },
  )

  test.each(['%FF', 'a%C3', '%ED%A0%80', '%C0%80'])('bytes that are no UTF-8 are 400: %s', async (bytes) => {
    expect(await ask(`GET ${path}?${needed(path)}whatever=${bytes}`)).toEqual(
      refused('query: must be percent-encoded UTF-8.'),
    )
  })
})

test('what takes nothing from a query looks at none, whatever it holds: not even NUL, broken bytes or a parameter of its path', async () => {
  const others = gets.filter(({ takesInput }) => !takesInput)
  expect(others.length).toBeGreaterThan(5)
  for (const { operation, fields } of others) {
    const route = operation.route.replace(/\{.+?\}/g, 'alice')
    const answer = await ask(route)
    expect([200, 401, 404], route).toContain(answer.status)
    expect(
      await ask(`${route}?a=%00&b=%FF&c=&user_id=x&${fields.map((name) => `${name}=x`).join('&')}`),
      route,
    ).toEqual(answer)
  }
})

describe.each(lists)('$operation.route', ({ operation: { path, envelope }, fields }) => {
  const mistaken = [
    ...[
      'user_id',
      'userId',
      'broadcaster_id',
      'broadcaster_user_ids',
      'channel_id',
      'user_login',
      'channel-id',
      'game_id',
    ],
    ...['category', 'title', 'language', 'status', 'is_live', 'page', 'pageSize', 'per_page', 'page_token', 'offset'],
    ...['sort', 'order_by', 'q', 'filter[user_id]', 'ids[]', 'before', 'first', 'to', 'created_after'],
  ]
  test.each(mistaken.filter((name) => !fields.includes(name)))(
    '%s is refused, for it would choose nothing',
    async (name) => {
      expect(await ask(`GET ${path}?${needed(path)}${encodeURIComponent(name)}=1`)).toEqual(
        refused(`${name}: is not taken here. This operation takes ${fields.join(', ')}.`),
      )
    },
  )

  test.each([
    '_',
    'utm_source',
    'v',
    'cache',
    'callback',
    'client_id',
    'request_id',
    'trace_id',
    'x-y',
    '__proto__',
    'constructor',
  ])('%s is ignored, as are other unknown names', async (name) => {
    const wait = envelope === 'feed' ? 'wait=0&' : ''
    expect((await ask(`GET ${path}?${wait}${needed(path)}${name}=1`)).status).toBe(200)
  })
})

describe('a body', () => {
  const url = 'https://example.com/hook'
  const subscription = { url, event_types: ['chat.message.sent'] }
  test.each([
    ['/v1/events/subscriptions', subscription, 'broadcaster_user_id', 'url, event_types, description'],
    ['/v1/events/subscriptions', subscription, 'condition', 'url, event_types, description'],
    ['/v1/events/subscriptions', subscription, 'channel', 'url, event_types, description'],
    ['/v1/events/subscriptions', subscription, 'secret', 'url, event_types, description'],
    ['/v1/moderation/bans', { user_id: alice.id }, 'broadcaster_id', 'user_id'],
    ['/v1/moderation/bans', { user_id: alice.id }, 'duration', 'user_id'],
    ['/v1/chat/messages', { room_name: 'alice', content: 'x' }, 'broadcasterUserId', 'room_name, content'],
    ['/v1/chat/messages', { room_name: 'alice', content: 'x' }, 'sender_id', 'room_name, content'],
  ])('for %s, %j with %s is refused', async (path, fields, name, taken) => {
    const words = refused(`${name}: is not taken here. This operation takes ${taken}.`)
    expect(await ask(`POST ${path}`, { ...fields, [name]: 'x' })).toEqual(words)
    expect(await ask(`POST ${path}?${name}=x`, fields)).toEqual(words)
  })

  test('that holds other unknown fields is taken', async () => {
    const body = {
      room_name: 'alice',
      content: 'x',
      type: 'user',
      reply_to_message_id: 'x',
      nonce: 1,
      client_id: 'x',
      message: 'x',
      game: 'x',
      duration: 1,
      secret: 'x',
      __proto__: 1,
    }
    expect((await ask('POST /v1/chat/messages', body)).status).toBe(201)
    expect((await ask('POST /v1/events/subscriptions', { ...subscription, name: 'x', version: '1' })).status).toBe(201)
  })
})

test('OAuth ignores what it does not know (RFC 6749, section 3.2)', async () => {
  const { id, secret } = await app.client()
  const fields = {
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret ?? '',
    user_id: 'x',
    channel: 'y',
  }
  expect((await app.request('POST /oauth/token?user_id=x', { body: new URLSearchParams(fields) })).status).toBe(200)
})
