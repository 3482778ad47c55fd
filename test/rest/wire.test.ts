import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const alice = await app.user('alice')
await app.user('bob')
const token = await app.token(['channel:read'])

describe('paths', () => {
  test('both spellings are answered directly', async () => {
    for (const path of ['/health', '/health/', '/health/ready', '/health/ready/', '/v1/channels', '/v1/channels/']) {
      expect((await app.request(`GET ${path}`, { token })).status, path).toBe(200)
    }
  })

  test.each(['/nowhere', '/V1/channels/', '/v1/channels/a/b', '/v1/chat/', '//', '/v1//channels', '/v1/oauth/token'])(
    'nothing is at %s',
    async (path) => {
      expect(await app.request(`GET ${path}`)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    },
  )

  test.each(['..', '%2e%2e', '..%2f..', './..'])('dots lead to no other operation: %s', async (slug) => {
    const { head } = await exchange(
      `GET /v1/channels/${slug} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`,
    )
    expect(head).toMatch(/^HTTP\/1.1 404 /)
  })

  test.each(['no_such', '%00', '%E0%A4%A', '%F0%9F%92%A9', 'a'.repeat(500)])('404 for the slug %s', async (slug) => {
    const { status, body } = await app.request(`GET /v1/channels/${slug}`, { token })
    expect([status, body.error.code]).toEqual([404, 'channel_not_found'])
  })

  test('another method is 405 and told what there is', async () => {
    const { status, headers, body } = await app.request('PUT /v1/channels/')
    expect([status, body.error.code, headers.get('allow')]).toEqual([405, 'method_not_allowed', 'GET, HEAD, OPTIONS'])
    expect((await app.request('OPTIONS /v1/chat/messages')).headers.get('allow')).toBe(
      'GET, POST, DELETE, HEAD, OPTIONS',
    )
  })

  test('HEAD is GET without its body', async () => {
    const get = await app.request('GET /v1/channels/alice', { token })
    const head = await app.request('HEAD /v1/channels/alice', { token })
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', get.headers.get('etag')])
    expect(head.headers.get('content-length')).toBe(String(get.text.length))
  })
})

describe('lists', () => {
  test('are walked by their Link headers, every item once', async () => {
    const first = await app.request('GET /v1/channels/?limit=1', { token })
    const [, next = ''] = /<(.+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? []
    const second = await app.request(`GET ${next}`, { token })
    expect(Object.keys(first.body)).toEqual(['data'])
    const names = [...first.body.data, ...second.body.data].map(({ username }: { username: string }) => username)
    expect(names).toEqual(['alice', 'bob'])
    expect(second.headers.get('link')).toBeNull()
  })

  test.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'limit=1.5',
    'limit=1&limit=2',
    'limit=99999999999999999999',
    'limit=%205',
    'limit=0x5',
    'limit=1e2',
    'limit=',
    'limit=%2B5',
  ])('400 for %s, which is named', async (query) => {
    const { status, body } = await app.request(`GET /v1/channels/?${query}`, { token })
    expect([status, body.error]).toEqual([400, { code: 'invalid_request', message: expect.stringMatching(/^limit:/) }])
  })

  test('a cursor that we did not sign, or for another list, is refused', async () => {
    const first = await app.request('GET /v1/channels/?limit=1', { token })
    const [, ours = ''] = /cursor=([^>&]+)/.exec(first.headers.get('link') ?? '') ?? []
    const categories = await app.token(['category:read'])
    for (const [path, cursor, who] of [
      ['channels', 'made-up', token],
      ['channels', 'x'.repeat(2000), token],
      ['channels', Buffer.from('["a"]').toString('base64url'), token],
      ['channels', ours.slice(0, -2), token],
      ['categories', ours, categories],
    ]) {
      const { body } = await app.request(`GET /v1/${path}/?cursor=${cursor}`, { token: who })
      expect(body.error.code, cursor).toBe('invalid_cursor')
    }
  })
})

describe('headers', () => {
  test('304 for a representation that the client has, another tag after a change', async () => {
    const { headers } = await app.request('GET /v1/channels/alice', { token })
    const etag = headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/"[\w-]+"$/)
    for (const known of [etag, `"x", ${etag}`, '*', etag.slice(2)]) {
      const again = await app.request('GET /v1/channels/alice', { token, headers: { 'if-none-match': known } })
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
    }
    const writer = await app.token(['channel:write'], { user: alice })
    await app.request('POST /trpc/channels.update', { token: writer, body: { bio: 'new' } })
    const changed = await app.request('GET /v1/channels/alice', { token, headers: { 'if-none-match': etag } })
    expect([changed.status, changed.body.data.bio]).toEqual([200, 'new'])
  })

  test('every answer has an identifier; a well-formed one is kept', async () => {
    for (const path of ['/', '/nowhere', '/docs', '/openapi.json', '/v1/channels/']) {
      const { headers } = await app.request(`GET ${path}`)
      expect(headers.get('x-request-id'), path).toMatch(/^[\w-]{36}$/)
      expect(headers.get('x-content-type-options'), path).toBe('nosniff')
      expect(headers.get('x-powered-by'), path).toBeNull()
    }
    const kept = await app.request('GET /', { headers: { 'x-request-id': 'trace-1' } })
    expect(kept.headers.get('x-request-id')).toBe('trace-1')
    const replaced = await app.request('GET /', { headers: { 'x-request-id': '<b>"x"</b>' } })
    expect(replaced.headers.get('x-request-id')).not.toContain('<')
  })

  test('HSTS with https alone', async () => {
    expect((await app.request('GET /')).headers.has('strict-transport-security')).toBe(false)
    await using secure = await createTestApp({ publicUrl: 'https://api.example.com' })
    expect((await secure.request('GET /')).headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/)
  })

  test.each(['GET', 'HEAD'])('%s of what never changes is answered and measured as at first', async (method) => {
    const measure = vi.fn()
    await using fresh = await createTestApp({ publicUrl: 'https://api.example.com', measure })
    const ask = async (path: string, id: string) => {
      const { status, text, headers } = await fresh.request(`${method} ${path}`, { headers: { 'x-request-id': id } })
      await expect.poll(() => measure.mock.calls.length).toBeGreaterThan(0)
      const [operation] = measure.mock.calls.splice(0).map(([name]) => name)
      return { ...Object.fromEntries(headers), date: 'now', status, text, operation }
    }
    for (const path of ['/', '/health', '/health/']) {
      const first = await ask(path, 'first')
      expect(await ask(path, 'again')).toEqual({ ...first, 'x-request-id': 'again' })
    }
  })

  test('what a browser may be led to open runs nothing and is shown in no frame', async () => {
    for (const path of ['/', '/health/', '/nothing', '/docs/nothing']) {
      const { headers } = await app.request(`GET ${path}`)
      expect([path, headers.get('content-security-policy')]).toEqual([
        path,
        expect.stringContaining("default-src 'none'"),
      ])
      expect([path, headers.get('x-frame-options')]).toEqual([path, 'DENY'])
    }
  })

  test('/trpc says in headers what REST says, and logs no refusal', async () => {
    app.lines.length = 0
    const { headers, status } = await app.request('GET /trpc/channels.list?input=%7B%7D')
    expect([status, headers.get('cache-control')]).toEqual([401, 'no-store'])
    expect(headers.get('www-authenticate')).toContain('resource_metadata=')
    expect(app.lines.filter((line) => JSON.parse(line).level >= 50)).toEqual([])
  })

  test('answers with credentials or about them are kept by no cache', async () => {
    expect((await app.request('POST /oauth/token', { body: {} })).headers.get('cache-control')).toBe('no-store')
    expect((await app.request('GET /cron/webhook-deliveries')).headers.get('cache-control')).toBe('no-store')
    const read = await app.request('GET /v1/channels/alice', { token })
    expect(read.headers.get('cache-control')).toBe('private, no-cache')
  })
})

test.each([
  ['http://x/health/', 200],
  ['HTTP://X/health/', 200],
  ['https://x?a=b', 200],
  ['http://x/login', 200],
  ['http://x/v1/users/me', 401],
  ['http://elsewhere/health/', 400],
  ['http:///health/', 400],
  ['ftp://x/health/', 400],
])('a target in absolute form is that of the host, and of no other: %s', async (target, status) => {
  const { head } = await exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\n`)
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
})

describe('broken HTTP gets the envelope too, and the process lives', () => {
  const close = 'Connection: close\r\n'
  test.each([
    ['garbage', 'GARBAGE\r\n', 400],
    ['a head that is too large', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(100_000)}\r\n`, 431],
    ['a header with a space', 'GET / HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n', 400],
    [
      'two lengths',
      'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n',
      400,
    ],
    ['no Host', `GET /health/ HTTP/1.1\r\n${close}`, 400],
    ['a target that is no path', `GET http://[bad/ HTTP/1.1\r\nHost: x\r\n${close}`, 400],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\nHost: x\r\n${close}`, 400],
    ['two slashes', `GET // HTTP/1.1\r\nHost: x\r\n${close}`, 404],
    ['TRACE', `TRACE / HTTP/1.1\r\nHost: x\r\n${close}`, 405],
  ])('%s', async (_name, bytes, status) => {
    const { head, body } = await exchange(bytes, '')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(Object.keys(JSON.parse(body).error)).toEqual(['code', 'message'])
    expect(head).toMatch(/x-request-id: [\w-]{36}/i)
    expect(head).toMatch(/x-content-type-options: nosniff/i)
    expect(head, 'a script of any website can read why').toMatch(/access-control-allow-origin: \*/i)
    expect((await app.request('GET /health/')).status).toBe(200)
  })

  test('a body that is too large in chunks is 413 and ends the connection', async () => {
    const writer = await app.token(['chat:write'], { user: alice })
    const chunk = `${(70_000).toString(16)}\r\n${'x'.repeat(70_000)}\r\n0\r\n\r\n`
    const { head } = await exchange(
      `POST /v1/chat/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${writer}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
      '',
    )
    expect(head).toMatch(/^HTTP\/1.1 413 /)
    expect(head).toMatch(/connection: close/i)
  })
})

test('before the service is ready it says so, and only that it lives', async () => {
  const { createHttpServer } = await import('../../src/rest/http/server.ts')
  const { log } = app.context
  const server = createHttpServer({ contextOf: () => undefined, log, publicUrl: 'http://test', trustProxy: 0 })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
  expect(await statusOf('/health/')).toBe(200)
  for (const path of ['/health/ready', '/v1/channels/', '/docs', '/trpc/channels.list']) {
    expect(await statusOf(path), path).toBe(503)
  }
  server.close()
  server.closeAllConnections()
})

/** Writes bytes as they are; resolves to what came back until the connection closed. */
async function exchange(bytes: string, end = 'Connection: close\r\n\r\n') {
  const socket = connect(Number(new URL(app.base).port), '127.0.0.1')
  socket.write(bytes + (end || (bytes.endsWith('\r\n\r\n') ? '' : '\r\n')))
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { head, body }
}
