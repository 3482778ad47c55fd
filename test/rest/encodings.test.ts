import { afterAll, describe, expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const alice = await app.user('alice')
const token = await app.token(['chat:write', 'webhook:write'], { user: alice })

const multipartOf = (fields: Record<string, string | readonly string[]>) => {
  const form = new FormData()
  for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) form.append(name, value)
  return form
}
const formOf = (fields: Record<string, string | readonly string[]>) =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, values]) => [values].flat().map((one): [string, string] => [name, one])),
  )

describe('one body, three encodings, one effect', () => {
  const message = { room_name: 'ALICE', content: 'héllo 👩‍👩‍👧‍👦 + & = %20' }
  test.each([
    ['JSON', message],
    ['urlencoded', formOf(message)],
    ['multipart', multipartOf(message)],
  ])('a message as %s', async (_name, body) => {
    const { status, body: answer } = await app.request('POST /v1/chat/messages', { token, body })
    expect(status).toBe(201)
    expect(answer.data).toMatchObject({ room_name: 'alice', content: message.content, type: 'text' })
  })

  const types = ['chat.message.sent', 'livestream.started']
  const url = 'https://example.com/hook'
  test.each([
    ['JSON', { url, event_types: types, description: null }],
    ['a repeated name', formOf({ url, event_types: types, description: '' })],
    ['a name in brackets', formOf({ url, 'event_types[]': types })],
    ['multipart', multipartOf({ url, event_types: types, description: '' })],
  ])('a list as %s', async (_name, body) => {
    const { status, body: answer } = await app.request('POST /v1/events/subscriptions', { token, body })
    expect(status).toBe(201)
    expect(answer.data).toMatchObject({ url, event_types: types, description: null })
  })

  test('one value of a list field is a list of one in a form, and a mistake in JSON', async () => {
    const one = { url, event_types: 'chat.message.sent' }
    const form = await app.request('POST /v1/events/subscriptions', { token, body: formOf(one) })
    expect(form.body.data.event_types).toEqual(['chat.message.sent'])
    const json = await app.request('POST /v1/events/subscriptions', { token, body: one })
    expect([json.status, json.body.error.message]).toEqual([400, expect.stringMatching(/^event_types:/)])
  })
})

describe('what is refused', () => {
  const json = { 'content-type': 'application/json' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const parts = { 'content-type': 'multipart/form-data; boundary=zz' }
  const file = multipartOf({ content: 'x' })
  file.append('room_name', new Blob(['alice']), 'room.txt')

  test.each([
    ['broken JSON', '{', json, 400],
    ['a JSON array', '[]', json, 400],
    ['JSON null', 'null', json, 400],
    ['deep JSON', '['.repeat(20_000), json, 400],
    [
      'a deep object',
      `{"room_name":${'{"a":'.repeat(9000)}1${'}'.repeat(9001)}`,
      { ...json, 'idempotency-key': 'k' },
      400,
    ],
    ['no JSON at all', '', json, 400],
    ['a wrong type in JSON', '{"room_name":["alice"],"content":"x"}', json, 400],
    ['NUL', '{"room_name":"alice","content":"a\\u0000b"}', json, 400],
    ['half a surrogate pair', '{"room_name":"alice","content":"\\ud800"}', json, 400],
    ['a scalar sent twice', 'room_name=alice&content=a&content=b', form, 400],
    ['a form that begins as the query of an address does', '?room_name=alice&content=a', form, 400],
    ['an index in a name', 'room_name[0]=alice&content=a', form, 400],
    ['a multipart body without parts', 'garbage', parts, 400],
    ['a part that is cut off', '--zz\r\nContent-Disposition: form-data; name="content"\r\n\r\nx', parts, 400],
    ['a missing boundary', 'x', { 'content-type': 'multipart/form-data' }, 400],
    ['a file for a string', file, {}, 400],
    ['an unknown type', '<x/>', { 'content-type': 'application/xml' }, 415],
    ['a type like a property of Object', 'x', { 'content-type': 'constructor' }, 415],
    ['a compressed body', 'x', { ...json, 'content-encoding': 'gzip' }, 415],
    ['a body without a type', new Uint8Array([123, 125]), {}, 415],
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), json, 400],
    ['a body over the limit', JSON.stringify({ room_name: 'alice', content: 'y'.repeat(70_000) }), json, 413],
    ['a body far over the limit', 'y'.repeat(2_000_000), json, 413],
  ])('%s', async (_name, body, headers, status) => {
    const answer = await app.request('POST /v1/chat/messages', { token, body, headers })
    expect(answer.status).toBe(status)
    expect(Object.keys(answer.body)).toEqual(['error'])
    expect(Object.keys(answer.body.error)).toEqual(['code', 'message'])
  })

  test('a field that comes twice is named, and so is a field in the address', async () => {
    const body = new URLSearchParams('room_name=alice&content=a&whatever=1&whatever=2')
    const twice = await app.request('POST /v1/chat/messages', { token, body })
    expect(twice.body.error.message).toMatch(/^whatever:/)
    const misplaced = await app.request('POST /v1/chat/messages?content=x', { token, body: { room_name: 'alice' } })
    expect(misplaced.body.error.message).toMatch(/^content:/)
  })

  test('names of properties of Object are names like any other', async () => {
    const body = '{"__proto__":{"room_name":"alice"},"constructor":1,"room_name":"alice","content":"fine"}'
    expect((await app.request('POST /v1/chat/messages', { token, body, headers: json })).status).toBe(201)
    const form = new URLSearchParams('__proto__=x&constructor=y&room_name=alice&content=fine')
    expect((await app.request('POST /v1/chat/messages', { token, body: form })).status).toBe(201)
    const query = await app.request('GET /v1/channels/?constructor=1&__proto__=2', { token })
    expect(query.body.error.code).toBe('insufficient_scope')
  })
})

test('NUL is refused in any name or value, also of fields that nobody reads', async () => {
  const reader = await app.token(['channel:read'], { user: alice })
  expect((await app.request('GET /v1/channels/?x=%00', { token: reader })).status).toBe(400)
  const body = '{"room_name":"alice","content":"x","x\\u0000":["\\u0000"]}'
  const json = { 'content-type': 'application/json' }
  const init = { token, headers: json, body }
  expect((await app.request('POST /v1/chat/messages', init)).body.error.message).toMatch(/^x: must not contain NUL/)
  const form = formOf({ room_name: 'alice', content: 'x', y: '\0' })
  expect((await app.request('POST /v1/chat/messages', { token, body: form })).status).toBe(400)
  const text = { ...init, body: '{"room_name":"alice","content":"\\\\u0000 is a backslash and five characters"}' }
  expect((await app.request('POST /v1/chat/messages', text)).status).toBe(201)
})
