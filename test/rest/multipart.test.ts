import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const alice = await app.user('alice')
const token = await app.token(['chat:write', 'webhook:write'], { user: alice })

const part = (name: string, value: string) =>
  `--B1\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const END = '--B1--\r\n'
const send = (body: string | Uint8Array, type = 'multipart/form-data; boundary=B1') =>
  app.request('POST /v1/chat/messages', { token, body, headers: { 'content-type': type } })

const room = part('room_name', 'alice')
const whole = `${room}${part('content', 'hello')}${END}`
const withHeader = (header: string) => `${room}--B1\r\n${header}\r\n\r\nhello\r\n${END}`

describe('a form is read as RFC 2046 and RFC 7578 have it', () => {
  test.each([
    ['plainly', whole],
    ['with a preamble', `This is a message in parts.\r\n${whole}`],
    ['with a preamble that has the boundary in it', `parts of --B1 follow\r\n--B1x\r\n${whole}`],
    ['with an empty line before it', `\r\n${whole}`],
    ['with an epilogue', `${whole}the end\r\n--B1\r\nof everything`],
    ['without a line break at its end', whole.slice(0, -2)],
    ['with padded delimiters', whole.replaceAll(/--B1(--)?/g, '$& \t ')],
    ['with a name without quotes', whole.replaceAll('"', '')],
    [
      'with headers in another case',
      whole.replaceAll('Content-Disposition: form-data; name', 'CONTENT-disposition:Form-Data;NAME'),
    ],
    ['with a folded header', whole.replaceAll('form-data; ', 'form-data;\r\n\t')],
    [
      'with parts that say their type',
      withHeader('Content-Type: text/plain; charset=UTF-8\r\nContent-Disposition: form-data; name=content'),
    ],
    [
      'with headers that nobody asked for',
      withHeader('X-Other: a:b\r\nContent-Disposition: form-data; x="1;2"; name="content"'),
    ],
  ])('%s', async (_name, body) => {
    expect((await send(body)).body).toMatchObject({ data: { room_name: 'alice', content: 'hello' } })
  })

  test.each(['boundary="B1"', 'charset=utf-8; BOUNDARY=B1', 'Boundary="\\B1"; x=y'])(
    'with the parameters %s',
    async (parameters) => {
      expect((await send(whole, `Multipart/Form-Data; ${parameters}`)).status).toBe(201)
    },
  )

  test('with a boundary of any characters that one may have', async () => {
    const boundary = "a.b*c(d)+e_f,g-h/i:j=k?l'm n"
    expect((await send(whole.replaceAll('B1', boundary), `multipart/form-data; boundary="${boundary}"`)).status).toBe(
      201,
    )
  })
})

describe('a text is kept to the character', () => {
  test.each([
    ['the boundary in a line', 'a --B1 b, B1 and --B1--'],
    ['lines that only begin like a delimiter', 'a\r\n--B1x\r\n--B1-\r\n--B1--x\r\n -- B1\r\nb'],
    ['the boundary without its dashes', 'a\r\nB1\r\n-B1\r\nb'],
    ['empty lines', '\r\n\r\na\r\n\r\nb\r\n\r\n'],
    ['line breaks of other systems', 'a\nb\rc\n--B1\nd'],
    ['what looks like a header', 'Content-Disposition: form-data; name="x"\r\n\r\nb'],
    ['U+FEFF at its beginning', '\ufeffhello'],
    ['characters beyond the first plane', '👩‍👩‍👧‍👦 \u{10ffff}'],
  ])('%s', async (_name, content) => {
    const { status, body } = await send(`${room}${part('content', content)}${END}`)
    expect([status, body.data?.content]).toEqual([201, content])
  })

  test('an empty one', async () => {
    const subscription = `${part('url', 'https://example.com/hook')}${part('event_types[]', 'chat.message.sent')}`
    for (const empty of [part('description', ''), part('description', '').slice(0, -2)]) {
      const { body } = await app.request('POST /v1/events/subscriptions', {
        token,
        body: `${subscription}${empty}${END}`,
        headers: { 'content-type': 'multipart/form-data; boundary=B1' },
      })
      expect(body.data).toMatchObject({ event_types: ['chat.message.sent'], description: null })
    }
  })
})

test('a file that nobody asked for is ignored, as are other unknown fields', async () => {
  const content = part('content', 'hello')
  const { status } = await send(`${room}${part('x"; filename="y', 'z')}${content}${END}`)
  expect(status).toBe(201)
})

describe('what is no form is refused, and the message says why', () => {
  const content = part('content', 'hello')
  test.each([
    ['no boundary', whole, /^Content-Type: lacks the boundary/, 'multipart/form-data'],
    ['an empty boundary', whole, /^Content-Type: lacks the boundary/, 'multipart/form-data; boundary='],
    ['another boundary', whole, /its boundary is not the one/, 'multipart/form-data; boundary=B'],
    ['nothing', '', /cut off/],
    ['no last delimiter', `${room}${content}`, /cut off/],
    ['half of a part', `${room}--B1\r\nContent-Disposition: form-data; na`, /cut off/],
    ['line breaks of other systems alone', whole.replaceAll('\r', ''), /cut off/],
    ['a part without a header', `${room}--B1\r\n\r\nhello\r\n${END}`, /without a name/],
    ['a part without a name', withHeader('Content-Disposition: form-data'), /without a name/],
    ['a part that is no field', withHeader('Content-Disposition: attachment; name="content"'), /without a name/],
    [
      'a name that RFC 7578 forbids',
      withHeader("Content-Disposition: form-data; name*=UTF-8''content"),
      /without a name/,
    ],
    ['a file', withHeader('Content-Disposition: form-data; name="content"; filename="a.txt"'), /^content: is a file/],
    ['a field twice', `${room}${content}${content}${END}`, /^content: is given twice/],
    ['NUL', `${room}${part('content', 'a\0b')}${END}`, /^content: must not contain NUL/],
    ['NUL in a name', `${room}${content}${part('x\0y', 'z')}${END}`, /^xy: must not contain NUL/],
    ['NUL in a list', `${room}${content}${part('x[]', '\0')}${END}`, /^x: must not contain NUL/],
  ])('%s', async (_name, body, message, type?: string) => {
    const answer = await send(body, type)
    expect([answer.status, answer.body.error]).toEqual([
      400,
      { code: 'invalid_request', message: expect.stringMatching(message) },
    ])
  })

  test('bytes that are not UTF-8', async () => {
    expect((await send(Buffer.from(whole.replace('hello', '\xff'), 'latin1'))).status).toBe(400)
  })

  test('sixty-four kibibytes of whatever is dear to read, in a few milliseconds', async () => {
    const fill = (unit: string) => unit.repeat(Math.floor(65_000 / unit.length))
    for (const dear of [fill('\r\n--B1'), fill('--B1 '), `--B1\r\nContent-Disposition: form-data; ${fill('a')}`]) {
      const before = process.cpuUsage()
      expect((await send(dear)).status).toBe(400)
      expect(process.cpuUsage(before).user).toBeLessThan(300_000)
    }
    expect((await send(`${fill(part('a', '').replace('"a"', 'a'))}${END}`)).body.error.message).toBe(
      'body: may have at most 200 fields.',
    )
  })
})

describe('percent-encoded bytes that are not UTF-8 are refused where they would be changed', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const urlencoded = (body: string) => app.request('POST /v1/chat/messages', { token, body, headers: form })

  test.each(['%FF', 'a%c3', '%C3a%A4', '%ED%A0%80', '%C0%AF', '%f4%90%80%80', 'é%A9'])(
    'a form with %s',
    async (value) => {
      const { status, body } = await urlencoded(`room_name=alice&content=${value}`)
      expect([status, body.error?.message]).toEqual([400, 'content: must be UTF-8.'])
      expect((await urlencoded(`room_name=alice&content=x&${value}=y`)).status).toBe(400)
    },
  )

  test.each([
    ['%F0%9F%A6%81', '🦁'],
    ['é%C3%A9', 'éé'],
    ['%EF%BF%BD', '\ufffd'],
    ['%EF%BB%BFx', '\ufeffx'],
    ['100%', '100%'],
    ['%zz%4', '%zz%4'],
    ['a+b%20c%2B', 'a b c+'],
  ])('a form with %s is read', async (value, content) => {
    const { body } = await urlencoded(`room_name=alice&content=${value}`)
    expect(body.data?.content).toBe(content)
  })

  test('a login form, and an authorization request', async () => {
    expect((await app.request('POST /login', { body: 'username=%FF&password=x', headers: form })).status).toBe(400)
    expect((await app.request('GET /oauth/authorize?client_id=x&state=%FF')).body.error.message).toBe(
      'state: must be UTF-8.',
    )
  })
})

describe('a coding', () => {
  /** fetch would not send all of these. */
  async function ask(path: string, headers: Record<string, string>) {
    const request = httpRequest(app.base + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...headers },
    })
    request.end(headers['content-type'] === 'application/json' ? '{"room_name":"alice","content":"x"}' : 'a=b')
    const response = await new Promise<import('node:http').IncomingMessage>((resolve) =>
      request.once('response', resolve),
    )
    await text(response)
    return { status: response.statusCode, headers: response.headers }
  }
  const json = { 'content-type': 'application/json' }

  test.each(['Identity', 'IDENTITY', 'identity, identity', '', ', identity'])(
    'that is none is none: %j',
    async (coding) => {
      expect((await ask('/v1/chat/messages', { ...json, 'content-encoding': coding })).status).toBe(201)
    },
  )

  test.each(['gzip', 'x-gzip', 'identity, gzip', 'identity;q=1'])(
    '%j is 415, and Accept-Encoding says what is taken',
    async (coding) => {
      for (const [path, type] of [
        ['/v1/chat/messages', 'application/json'],
        ['/oauth/token', 'application/x-www-form-urlencoded'],
        ['/login', 'application/x-www-form-urlencoded'],
        ['/trpc/livestreams.end', 'application/json'],
      ] as const) {
        const { status, headers } = await ask(path, { 'content-type': type, 'content-encoding': coding })
        expect([path, status, headers['accept-encoding'], headers.accept]).toEqual([path, 415, 'identity', undefined])
      }
    },
  )

  test('a type that is not taken is 415, and Accept says which are', async () => {
    const { headers } = await ask('/v1/chat/messages', { 'content-type': 'text/plain' })
    expect(headers.accept).toBe('application/json, application/x-www-form-urlencoded, multipart/form-data')
    expect((await ask('/login', json)).headers.accept).toBe('application/x-www-form-urlencoded')
  })
})
