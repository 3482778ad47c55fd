import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detailOf } from '../../src/domain/webhooks/http/attempt-detail.ts'
import { classOf } from '../../src/domain/webhooks/http/attempt-failure.ts'
import { responseText } from '../../src/domain/webhooks/http/response-text.ts'
import type { TargetRules } from '../../src/domain/webhooks/http/target-policy.ts'
import { createTransport, type Transport } from '../../src/domain/webhooks/http/transport.ts'
import { answers, type Behaviour, drips, floods, gzipBomb, head, startHostile, writes } from './support/hostile.ts'

const rules: TargetRules = { allowPrivate: true, proxyUrl: undefined, isAllowed: (address) => address === '127.0.0.2' }
const DEADLINE_MS = 300

const transportTo = (options: { deadlineMs?: number; connectMs?: number } = {}) =>
  createTransport({
    rules,
    resolve: async () => [{ address: '127.0.0.2', family: 4 }],
    deadlineMs: DEADLINE_MS,
    ...options,
  })

async function post(transport: Transport, port: number, signal = new AbortController().signal) {
  const url = new URL(`http://hooks.example.com:${port}/hook?a=1`)
  const begun = performance.now()
  const response = await transport.post({ url, headers: ['x-a', 'b'], body: Buffer.from('{}'), signal })
  const { status, retryAfter, body, error } = response
  const ms = performance.now() - begun
  return { status, retryAfter, body, detail: detailOf(response), error: status === null ? classOf(error) : null, ms }
}

async function attempt(behave: Behaviour, options: { times?: number; deadlineMs?: number } = {}) {
  const { times = 1, ...more } = options
  await using server = await startHostile(behave)
  const transport = transportTo(more)
  const results = []
  for (let n = 0; n < times; n++) results.push(await post(transport, server.port))
  await transport.close()
  const last = results.at(-1)
  if (!last) throw new Error('No attempt was made')
  return { ...last, results, requests: server.requests, connections: server.connections }
}

describe('what never becomes an answer is cut at the deadline', () => {
  test.for([
    ['says nothing', () => {}],
    ['drips its head', drips('HTTP/1.1 200 OK\r\n', 'x: y\r\n')],
    ['floods 102', drips(head('102 Processing'), head('102 Processing'))],
    ['sends 103 and no more', writes(head('103 Early Hints'))],
  ] as [string, Behaviour][])('%s', async ([, behave]) => {
    const { status, error, ms } = await attempt(behave)
    expect([status, error]).toEqual([null, 'E_DEADLINE'])
    expect(ms).toBeLessThan(DEADLINE_MS + 1_000)
  })
})

describe('the head decides; nothing that the body does undoes it', () => {
  test.for([
    ['hangs', writes(head('200 OK', 'content-length: 100'), 'x')],
    ['drips', drips(head('200 OK', 'content-length: 100000'), 'x')],
    ['resets', (socket) => socket.write(head('200 OK', 'content-length: 100'), () => socket.resetAndDestroy())],
    ['breaks its chunks', writes(head('200 OK', 'transfer-encoding: chunked'), 'zz\r\nnonsense')],
    ['says too little', (socket) => socket.end(`${head('200 OK', 'content-length: 100')}short`)],
    ['claims to be gzip', writes(head('200 OK', 'content-encoding: gzip', 'content-length: 4'), 'none')],
  ] as [string, Behaviour][])('%s', async ([, behave]) => {
    expect(await attempt(behave)).toMatchObject({ status: 200, error: null })
  })
})

describe('the body is cut at 16 kB, never inflated, and its first 4 kB are kept', () => {
  test.for([
    ['of 250 MB', floods(head('200 OK', 'content-length: 262144000'), Buffer.alloc(65_536, 'a'))],
    ['of endless chunks', floods(head('200 OK', 'transfer-encoding: chunked'), `1000\r\n${'a'.repeat(4096)}\r\n`)],
    ['of a gzip bomb', gzipBomb()],
  ] as [string, Behaviour][])('%s', async ([, behave]) => {
    const before = process.memoryUsage().arrayBuffers
    const { status, body, ms } = await attempt(behave, { deadlineMs: 5_000 })
    expect([status, body.length]).toEqual([200, 4_096])
    expect(ms).toBeLessThan(2_000)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000)
  })
})

describe('what is no answer is a failure with a class', () => {
  test.for([
    ['a head of 40 kB', answers('200 OK', `x: ${'a'.repeat(40_000)}`), 'E_HEAD_TOO_LARGE'],
    ['3,000 headers', answers('200 OK', ...Array.from({ length: 3_000 }, (_, n) => `x-${n}: y`)), 'E_HEAD_TOO_LARGE'],
    ['NUL in a header', answers('200 OK', 'x: a\0b'), 'E_BAD_RESPONSE'],
    ['status 20', answers('20 What'), 'E_BAD_RESPONSE'],
    ['status 000', answers('000 What'), 'E_BAD_RESPONSE'],
    ['HTTP/7.3', writes('HTTP/7.3 200 OK\r\n\r\n'), 'E_BAD_RESPONSE'],
    ['101', answers('101 Switching Protocols', 'upgrade: websocket', 'connection: upgrade'), 'E_BAD_RESPONSE'],
    ['a length twice', answers('200 OK', 'content-length: 5'), 'E_BAD_RESPONSE'],
    ['what is not HTTP', (socket) => socket.end('this is not HTTP\r\n\r\n'), 'E_BAD_RESPONSE'],
    ['a reset', (socket) => socket.resetAndDestroy(), 'E_RESET'],
    ['a close', (socket) => socket.end(), 'E_RESET'],
  ] as [string, Behaviour, string][])('%s', async ([, behave, expected]) => {
    const { status, error, requests } = await attempt(behave)
    expect([status, error]).toEqual([null, expected])
    expect(requests, 'a fresh connection is not tried twice').toHaveLength(1)
  })

  test('status 999 is an answer, if a strange one', async () => {
    expect(await attempt(answers('999 What'))).toMatchObject({ status: 999, error: null })
  })
})

describe('connections', () => {
  test('are kept alive: eight attempts one after the other take two at most', async () => {
    const { results, connections } = await attempt(answers('204 No Content'), { times: 8 })
    expect(results.every(({ status }) => status === 204)).toBe(true)
    expect(connections).toBeLessThanOrEqual(2) // a socket is free again one turn of the event loop after its answer
  })

  test.for([
    ['closed', (socket) => socket.destroy()],
    ['reset', (socket) => socket.resetAndDestroy()],
  ] as [string, Behaviour][])(
    'one that is %s just as it is used again is no failure: at once on a fresh one',
    async ([, end]) => {
      const behave: Behaviour = (socket, nth) => (nth > 1 ? end(socket, nth) : answers('204 No Content')(socket, nth))
      const { results, requests } = await attempt(behave, { times: 3 })
      expect(results.map(({ status }) => status)).toEqual([204, 204, 204])
      expect(requests.length).toBeGreaterThan(3)
    },
  )

  test('one that is never accepted ends with the time for connecting', async () => {
    const transport = createTransport({
      rules,
      resolve: () => new Promise(() => {}),
      connectMs: 100,
      deadlineMs: 5_000,
    })
    expect(await post(transport, 9)).toMatchObject({ status: null, error: 'E_CONNECT_TIMEOUT' })
    await transport.close()
  })

  test('one that is refused says so', async () => {
    const server = await startHostile(() => {})
    await server[Symbol.asyncDispose]()
    const transport = transportTo()
    expect(await post(transport, server.port)).toMatchObject({ status: null, error: 'E_REFUSED' })
    await transport.close()
  })

  test('a hundred attempts at an origin that takes 64 at a time all get their answer', async () => {
    await using server = await startHostile(answers('204 No Content'))
    const transport = transportTo({ deadlineMs: 5_000 })
    const results = await Promise.all(Array.from({ length: 100 }, () => post(transport, server.port)))
    expect(results.every(({ status }) => status === 204)).toBe(true)
    expect(server.connections).toBeLessThanOrEqual(64)
    await transport.close()
  })
})

test('any bytes at all become a result that can be stored', async () => {
  let bytes = Buffer.alloc(0)
  await using server = await startHostile((socket) => socket.end(bytes))
  const transport = transportTo()
  const heads = fc.constantFrom(
    '',
    'HTTP/1.1 200 OK\r\n',
    'HTTP/1.1 200 OK\r\n\r\n',
    'HTTP/1.1 500 x\r\ncontent-length: 9\r\n\r\n',
  )
  await fc.assert(
    fc.asyncProperty(heads, fc.uint8Array({ maxLength: 300 }), async (first, rest) => {
      bytes = Buffer.concat([Buffer.from(first), rest])
      const { status, error, body, detail } = await post(transport, server.port)
      expect(status === null).toBe(error !== null)
      for (const text of [responseText(body) ?? '', detail ?? '']) {
        expect(text).not.toContain('\0')
        expect(Buffer.from(text).toString()).toBe(text)
      }
    }),
    { numRuns: 60 },
  )
  await transport.close()
})

describe('an attempt says what was read', () => {
  test.for([
    [
      'what is not HTTP',
      (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
      /HTTP\/1\.1.*: "SSH-2\.0-OpenSSH_9\.6\\r\\n"$/,
    ],
    ['a header that cannot be', answers('200 OK', 'x: a\0b'), /header value.*: "HTTP\/1\.1 200 OK\\r\\n/],
    ['101', answers('101 Switching Protocols', 'upgrade: h2c', 'connection: upgrade'), /: "HTTP\/1\.1 101 Switching/],
    [
      'bytes that are no text',
      (socket) => socket.end(Buffer.from([0, 0xff, 0x1b, 0x9b])),
      /: "\\u0000\ufffd\\u001b\ufffd"$/,
    ],
    [
      'a redirect',
      answers('302 Found', 'location: https://elsewhere.example/x?y'),
      /leads to https:\/\/elsewhere\.example\/x\?y$/,
    ],
    ['a long one', answers('307 No', `location: /${'x'.repeat(5_000)}`), /^Redirects.{491}$/],
  ] as [string, Behaviour, RegExp][])('%s', async ([, behave, words]) => {
    expect((await attempt(behave)).detail).toMatch(words)
  })

  test.for([
    ['a success', answers('204 No Content', 'location: /made')],
    ['an error', answers('500 No', 'location: /x')],
    ['a redirect that leads nowhere', answers('304 Not Modified')],
    ['a reset', (socket) => socket.resetAndDestroy()],
  ] as [string, Behaviour][])('and nothing where nothing is left open: %s', async ([, behave]) => {
    expect((await attempt(behave)).detail).toBeNull()
  })

  test('control characters of the receiver are none of ours', async () => {
    const { detail } = await attempt((socket) =>
      socket.end(Buffer.from(head('301 x', 'location: /\u0085\u009b2J'), 'latin1')),
    )
    expect(detail).not.toMatch(/\p{Cc}/u)
  })
})

test('what is aborted by us ends at once, on the wire and before it', async () => {
  await using server = await startHostile(() => abort.abort())
  const abort = new AbortController()
  const transport = transportTo({ deadlineMs: 5_000 })
  expect(await post(transport, server.port, abort.signal)).toMatchObject({ status: null, error: 'E_ABORTED' })
  expect(await post(transport, server.port, abort.signal)).toMatchObject({ status: null, error: 'E_ABORTED' })
  expect(server.requests).toHaveLength(1)
  await transport.close()
})

test('`Retry-After` comes back as it was sent, the first one when there are several', async () => {
  expect((await attempt(answers('503 No', 'retry-after: 7', 'retry-after: 9'))).retryAfter).toBe('7')
})

test('text of an answer: at most 4 kB after broken bytes became three each', () => {
  expect(responseText(Buffer.alloc(0))).toBeNull()
  const text = responseText(Buffer.alloc(5_000, 0xff)) ?? ''
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096)
  expect(text).toMatch(/^\ufffd+$/)
  expect(Buffer.byteLength(responseText(Buffer.from(`a${'é'.repeat(3_000)}`)) ?? '')).toBeLessThanOrEqual(4_098)
  expect(responseText(Buffer.from(`abc${'🙈'.repeat(1_024)}`).subarray(0, 4_096)), 'cut by us').toBe(
    `abc${'🙈'.repeat(1_023)}`,
  )
  expect(responseText(Buffer.from([0x61, 0xc3])), 'left unfinished by the receiver').toBe('a\ufffd')
})
