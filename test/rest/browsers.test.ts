import { afterAll, describe, expect, test } from 'vitest'
import { LoadLimit } from '../../src/rest/http/load-limit.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const token = await app.token(['category:read', 'channel:read'])

const ORIGIN = 'https://app.example'
const from = { origin: ORIGIN }
const preflight = (path: string, asked = 'authorization') =>
  app.request(`OPTIONS ${path}`, {
    headers: { ...from, 'access-control-request-method': 'GET', 'access-control-request-headers': asked },
  })
const listed = (headers: Headers, name: string) => (headers.get(name) ?? '').toLowerCase().split(/\s*,\s*/)

describe('any website may call, and read the answer, also a refusal; cookies never', () => {
  test.each([
    ['GET /v1/channels/', 401],
    ['GET /v1/nowhere', 404],
    ['PUT /v1/channels/', 405],
    ['POST /oauth/token', 400],
    ['GET /oauth/nothing', 404],
    ['GET /nowhere', 404],
    ['GET /', 200],
    ['GET /health/', 200],
    ['GET /health/ready', 200],
    ['GET /health/nothing', 404],
    ['GET /openapi.json', 200],
    ['GET /openapi.json/nothing', 404],
    ['DELETE /openapi.json', 405],
    ['GET /openapi.extensions.json', 200],
    ['GET /asyncapi.json', 200],
    ['GET /events/schemas.json', 200],
    ['GET /llms.txt', 200],
    ['GET /.well-known/oauth-authorization-server', 200],
    ['GET /.well-known/nothing', 404],
    ['GET /trpc/channels.list', 401],
    ['GET /trpc/no.such', 404],
    ['DELETE /trpc/channels.list', 405],
  ])('%s', async (route, status) => {
    const answer = await app.request(route, { headers: from })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, '*'])
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    expect(listed(answer.headers, 'access-control-expose-headers')).toEqual(
      expect.arrayContaining(['link', 'etag', 'ratelimit', 'retry-after', 'www-authenticate', 'x-request-id']),
    )
  })

  test.each(['/v1/channels/', '/v1/nowhere', '/health/', '/nowhere', '/trpc/channels.list', '/.well-known/nothing'])(
    'a preflight at %s lets through what clients add, and no cookie',
    async (path) => {
      const { status, headers } = await preflight(path)
      expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*'])
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      expect(listed(headers, 'access-control-allow-headers')).toEqual(
        expect.arrayContaining(['authorization', 'content-type', 'last-event-id', 'traceparent', 'tracestate']),
      )
    },
  )

  test('the tag of a representation can be read and sent back', async () => {
    const { headers } = await app.request('GET /v1/categories/', { token, headers: from })
    expect(headers.get('etag')).toMatch(/^W\//)
    expect(listed(headers, 'access-control-expose-headers')).toContain('etag')
    expect(listed((await preflight('/v1/categories/')).headers, 'access-control-allow-headers')).toContain(
      'if-none-match',
    )
  })

  test('a process that is full says so to scripts, too', async () => {
    const loadLimit = new LoadLimit()
    while (loadLimit.take('127.0.0.1'));
    await using full = await createTestApp({ loadLimit })
    for (const path of ['/v1/channels/', '/nowhere', '/openapi.json']) {
      const { status, headers } = await full.request(`GET ${path}`, { headers: from })
      expect([path, status, headers.get('access-control-allow-origin')]).toEqual([path, 503, '*'])
    }
  })
})

test.each([
  '/docs/',
  '/console',
  '/login',
  '/signup',
  '/oauth/authorize',
  '/oauth/authorize/x',
  '/cron/webhook-deliveries',
])('%s is for no other website', async (path) => {
  for (const { headers } of [await app.request(`GET ${path}`, { headers: from }), await preflight(path)]) {
    expect(headers.get('access-control-allow-origin')).toBeNull()
  }
})
