import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { secretParameters } from '../../src/domain/oauth/grants-table.ts'
import { grantTypes } from '../../src/shared/grants.ts'
import { createOAuthApp, credentials, errorOf, type Fields, type OAuthApp } from '../support/flows.ts'

let app: OAuthApp
beforeAll(async () => {
  app = await createOAuthApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const own = (more: Fields = {}): Fields => ({
  grant_type: 'client_credentials',
  ...credentials(app.client),
  ...more,
})
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const raw = (body: RequestInit['body'], headers: Record<string, string>) =>
  app.request('POST /oauth/token', { body, headers })

test.each(['GET', 'PUT', 'PATCH', 'DELETE'])('T01 T21 %s is not allowed, and told what is', async (method) => {
  const reply = await app.request(`${method} /oauth/token`)
  expect(errorOf(reply)).toBe('405 method_not_allowed')
  expect(reply.headers.get('allow')).toContain('POST')
})

test('T02 T03 T16 a missing grant_type, an empty one, no body at all', async () => {
  const { grant_type: _, ...without } = own()
  for (const body of [new URLSearchParams(without), new URLSearchParams(own({ grant_type: '' })), '']) {
    const reply = await raw(body, form)
    expect(errorOf(reply)).toBe('400 invalid_request')
    expect(reply.body.error.message).toContain('grant_type')
  }
})

test.each([
  'password',
  'implicit',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'constructor',
  '__proto__',
  'toString',
  'CLIENT_CREDENTIALS',
  'client_credentials ',
])('T04 the grant %j is not supported', async (grantType) => {
  const refused = await app.token(own({ grant_type: grantType }))
  expect(errorOf(refused)).toBe('400 unsupported_grant_type')
  for (const known of grantTypes) expect(refused.body.error.message).toContain(known)
})

describe('T05 T07 a parameter sent twice is refused', () => {
  test.each(['scope', 'client_id', 'unknown'])('%s', async (name) => {
    const twice = [...Object.entries(own()), [name, 'chat:read'], [name, 'chat:read']] as [string, string][]
    const multipart = new FormData()
    for (const [key, value] of twice) multipart.append(key, value)
    for (const body of [new URLSearchParams(twice), multipart]) {
      expect(errorOf(await app.request('POST /oauth/token', { body }))).toBe('400 invalid_request')
    }
  })
})

test.each(['[]', '"text"', '1', 'null', 'true'])('T06 the JSON body %s is no object', async (body) => {
  expect(errorOf(await raw(body, { 'content-type': 'application/json' }))).toBe('400 invalid_request')
})

test.each([[['chat:read']], [{}], [1], [true], [null]])('T06 %j is no value of a parameter', async (scope) => {
  const body = { ...own({ client_secret: 'wrong' }), scope }
  expect(errorOf(await app.request('POST /oauth/token', { body }))).toBe('400 invalid_request')
})

test('T08 three encodings, a charset, both spellings of the path', async () => {
  const multipart = new FormData()
  for (const [name, value] of Object.entries(own())) multipart.append(name, value)
  for (const path of ['/oauth/token', '/oauth/token/']) {
    const replies = [
      await app.request(`POST ${path}`, { body: new URLSearchParams(own()) }),
      await app.request(`POST ${path}`, { body: own() }),
      await app.request(`POST ${path}`, { body: multipart }),
      await app.request(`POST ${path}`, {
        body: String(new URLSearchParams(own())),
        headers: { 'content-type': 'Application/X-WWW-Form-Urlencoded;charset=UTF-8' },
      }),
    ]
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  }
})

test.each(['text/plain', 'application/xml', 'application/jwt'])('T09 %s is no type of a body', async (type) => {
  const reply = await raw(String(new URLSearchParams(own())), { 'content-type': type })
  expect(errorOf(reply)).toBe('415 unsupported_media_type')
})

test('T10 T19 T20 what cannot be read is 400, never 500', async () => {
  const file = new FormData()
  for (const [name, value] of Object.entries(own())) file.append(name, value)
  file.set('scope', new Blob(['chat:read']), 'scope.txt')
  const multipart = 'multipart/form-data; boundary=xx'
  const replies = [
    await raw('{"grant_type":', { 'content-type': 'application/json' }),
    await raw('--xx\r\nContent-Disposition: form-data; name="scope"\r\n\r\ncut of', { 'content-type': multipart }),
    await raw('--xx--', { 'content-type': 'multipart/form-data' }),
    await raw(file, {}),
    await raw(Buffer.from([0x67, 0x3d, 0xff, 0xfe]), form),
    await raw(Buffer.from('{"grant_type":"\xff"}', 'latin1'), { 'content-type': 'application/json' }),
  ]
  expect(replies.map(errorOf)).toEqual(Array(6).fill('400 invalid_request'))
})

test('T11 unknown parameters are ignored', async () => {
  const { status } = await app.token(own({ resource: app.base, audience: 'https://api.example', foo: 'bar' }))
  expect(status).toBe(200)
})

test('T12 a success has exactly the fields of the contract', async () => {
  const forApplication = await app.token(own({ scope: 'chat:read' }))
  expect(forApplication.status).toBe(200)
  expect(forApplication.body).toEqual({
    access_token: expect.stringMatching(/^lsat_[0-9A-Za-z]{49}$/),
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'chat:read',
  })
  expect(forApplication.headers.get('cache-control')).toBe('no-store')
  expect(forApplication.headers.get('content-type')).toMatch(/^application\/json/)

  const forUser = await app.token(await app.newCode())
  const fields = ['access_token', 'expires_in', 'refresh_token', 'scope', 'token_type']
  expect(Object.keys(forUser.body).toSorted()).toEqual(fields)
})

test('T13 T18 every error, the parser’s too, says no-store and its code in WWW-Authenticate', async () => {
  const replies = [
    await app.token({ grant_type: 'x' }),
    await app.token(own({ client_secret: 'wrong' })),
    await app.token(own({ scope: 'x' })),
    await raw('{', { 'content-type': 'application/json' }),
    await raw('x', { 'content-type': 'text/plain' }),
    await raw('x'.repeat(17_000), form),
    await app.request('GET /oauth/token'),
  ]
  for (const reply of replies) {
    const { code } = reply.body.error
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.headers.get('www-authenticate')).toContain(`error="${code}"`)
  }
})

const misplaced = ['client_id', 'client_secret', 'code', 'code_verifier', 'refresh_token', 'token']

test.each([...new Set([...misplaced, ...secretParameters])])(
  'T14 %s in the address is refused and does nothing',
  async (name) => {
    const { refresh_token } = await app.newGrant()
    const fields = { ...credentials(app.client), refresh_token, grant_type: 'refresh_token' }
    const reply = await app.request(`POST /oauth/token?${name}=x`, { body: new URLSearchParams(fields) })
    expect(errorOf(reply)).toBe('400 invalid_request')
    const revocation = new URLSearchParams({ ...credentials(app.client), token: refresh_token })
    expect(errorOf(await app.request(`POST /oauth/revoke?${name}=x`, { body: revocation }))).toBe('400 invalid_request')
    expect((await app.refresh(refresh_token)).status).toBe(200)
  },
)

test('T15 more than 16 KiB is too much, with a length and without', async () => {
  const long = `${new URLSearchParams(own())}&x=${'x'.repeat(16 * 1024)}`
  const chunks = new ReadableStream({
    start(controller) {
      for (let at = 0; at < long.length; at += 1000) controller.enqueue(Buffer.from(long.slice(at, at + 1000)))
      controller.close()
    },
  })
  const chunked = await fetch(`${app.base}/oauth/token`, {
    method: 'POST',
    body: chunks,
    duplex: 'half',
    headers: form,
  } as RequestInit)
  const replies = [await raw(long, form), { status: chunked.status, body: await chunked.json(), text: '' }]
  expect(replies.map(errorOf)).toEqual(['413 payload_too_large', '413 payload_too_large'])
  expect(chunked.headers.get('connection')).toBe('close')
})

test('T17 names of the prototype are names like any other', async () => {
  const bodies: [string, string][] = [
    [`${new URLSearchParams(own())}&__proto__=x&constructor=y`, 'application/x-www-form-urlencoded'],
    [JSON.stringify(own()).replace('{', '{"__proto__":"x","constructor":"y",'), 'application/json'],
  ]
  const before = Object.getOwnPropertyNames(Object.prototype)
  for (const [body, type] of bodies) expect((await raw(body, { 'content-type': type })).status).toBe(200)
  const polluting = JSON.stringify(own()).replace('{', '{"__proto__":{"scope":"no:such","polluted":1},')
  expect((await raw(polluting, { 'content-type': 'application/json' })).status, 'no field came by it').toBe(200)
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
})

test('R08 a NUL in a parameter is 400, in every encoding', async () => {
  const replies = [
    await app.token(own({ scope: 'chat\0read' })),
    await app.request('POST /oauth/token', { body: own({ scope: '\0' }) }),
    await app.token({ ...own(), client_id: 'a\0b' }),
    await app.revoke({ token: '\0', ...credentials(app.client) }),
  ]
  expect(replies.map(errorOf)).toEqual(Array(4).fill('400 invalid_request'))
})
