import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPeopleApp, type PeopleApp } from '../support/people.ts'

let app: PeopleApp
let key: string
beforeAll(async () => {
  app = await createPeopleApp()
  key = (await app.newGrant(app.client, ['channel:read', 'chat:read', 'livestream:write'])).access_token
})
afterAll(() => app[Symbol.asyncDispose]())

const input = (value: object) => `input=${encodeURIComponent(JSON.stringify(value))}`

describe('HEAD at /trpc is GET without its body', () => {
  test.each([
    ['a call that is answered', `/trpc/channels.list?${input({ limit: 1 })}`, true],
    ['a call that is refused', `/trpc/channels.list?${input({ limit: 1 })}`, false],
    ['an input that is wrong', `/trpc/channels.list?${input({ limit: 'x' })}`, true],
    ['a mutation', '/trpc/livestreams.end', true],
    ['no procedure', '/trpc/no.such', true],
    ['a batch', `/trpc/channels.list,no.such?batch=1&${input({ 0: {}, 1: {} })}`, true],
  ])('%s', async (_, path, hasToken) => {
    const token = hasToken ? key : undefined
    const [get, head] = [await app.request(`GET ${path}`, { token }), await app.request(`HEAD ${path}`, { token })]
    const shown = ({ status, headers }: typeof get) => [
      status,
      ...['content-type', 'cache-control', 'www-authenticate'].map((name) => headers.get(name)),
    ]
    expect(shown(head)).toEqual(shown(get))
    expect([head.text, get.text === '']).toEqual(['', false])
  })

  test('of a stream it ends at once', async () => {
    const { status, headers, text } = await app.request(`HEAD /trpc/chat.watch?${input({ room_name: 'grace' })}`)
    expect([status, headers.get('content-type'), text]).toEqual([200, 'text/event-stream', ''])
  })
})

test.each([
  ['a query', 'GET /trpc/channels.get?input=%7B%22slug%22%3A%22a%FF%22%7D'],
  ['a batch', 'GET /trpc/channels.get,channels.list?batch=1&input=%7B%220%22%3A%7B%22slug%22%3A%22%C3%22%7D%7D'],
  ['a mutation', 'POST /trpc/channels.update?x=%FF'],
  ['a stream', 'GET /trpc/chat.watch?input=%7B%22room_name%22%3A%22a%FF%22%7D'],
])('bytes that are no UTF-8 are refused in the address of %s, not changed', async (_, route) => {
  const body = route.startsWith('POST') ? { bio: 'x' } : undefined
  const { text } = await app.request(route, { token: key, ...(body && { body }) })
  expect(text).toContain('query: must be percent-encoded UTF-8.')
})

test('a body that is too large is 413 at /trpc, and says how large it may be', async () => {
  const body = { bio: 'x'.repeat(70_000) }
  const { status, headers, body: answer } = await app.request('POST /trpc/channels.update', { body })
  expect([status, headers.get('connection')]).toEqual([413, 'close'])
  expect(answer.error.message).toMatch(/^body: .* 65536 bytes/)
  expect(answer.error.data).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', problem: { code: 'payload_too_large' } })
})

test('a body that is no JSON is 415 in the shape of all refusals at /trpc', async () => {
  const { status, body } = await app.request('POST /trpc/channels.update', { body: 'x' })
  expect(status).toBe(415)
  expect(body.error.data.problem).toEqual({
    code: 'unsupported_media_type',
    message: 'Content-Type: must be application/json.',
  })
})

test('the doctor also takes what is missing, and names it', async () => {
  const cookie = `sid=${(await app.loggedIn()).cookies.get('sid')}`
  const given = {
    secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
    id: 'evt_1',
    timestamp: '',
    signature: 'v1,x',
    body: '',
  }
  const { body } = await app.request('POST /trpc/doctor.signature', { body: given, headers: { cookie } })
  expect(body.result.data).toEqual({ valid: false, reason: expect.stringMatching(/^webhook-timestamp is empty/) })
})

describe('a cookie that does not count says why', () => {
  const call = async (headers: Record<string, string>) => {
    const browser = await app.loggedIn()
    const cookie = `sid=${browser.cookies.get('sid')}`
    const { status, body } = await app.request('POST /trpc/channels.update', {
      body: JSON.stringify({ bio: null }),
      headers: { cookie, 'content-type': 'application/json', ...headers },
    })
    return { status, words: body.error?.data.problem }
  }

  test('from our own pages it counts', async () => {
    expect((await call({ origin: app.base, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  })

  test.each([
    ['a dashboard elsewhere', { origin: 'http://localhost:5173' }, /comes from http:\/\/localhost:5173, .*PUBLIC_URL/],
    ['a sandboxed frame', { origin: 'null' }, /comes from null/],
    ['another part of the site', { 'sec-fetch-site': 'same-site' }, /same-site, .*PUBLIC_URL/],
    ['what a form can send', { 'content-type': 'multipart/form-data; boundary=x' }, /must be JSON/],
  ])('%s', async (_, headers, words) => {
    const { status, words: problem } = await call(headers)
    expect([status, problem.code]).toEqual([401, 'unauthorized'])
    expect(problem.message).toMatch(/^The cookie of the login session does not count: /)
    expect(problem.message).toMatch(words)
    expect(problem.message).toMatch(words.source.includes('JSON') ? /application\/json/ : new RegExp(app.base))
  })

  test('a browser that keeps none is told at the form, with the address to open', async () => {
    const browser = app.newBrowser()
    const page = await browser.get('/login')
    browser.cookies.clear()
    const { status, text } = await browser.submit(page, '/login', { username: 'grace', password: 'x' })
    expect(status).toBe(403)
    expect(text).toContain(`open this site as ${app.base}`)
  })
})
