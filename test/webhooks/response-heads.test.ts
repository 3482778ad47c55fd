import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classOf } from '../../src/domain/webhooks/http/attempt-failure.ts'
import type { TargetRules } from '../../src/domain/webhooks/http/target-policy.ts'
import { createTransport } from '../../src/domain/webhooks/http/transport.ts'
import { type Behaviour, floods, head, startHostile } from './support/hostile.ts'

const rules: TargetRules = { allowPrivate: true, proxyUrl: undefined, isAllowed: (address) => address === '127.0.0.2' }
const fine = (...lines: string[]) => `${head('200 OK', 'content-length: 2', ...lines)}ok`

/** Attempts one after the other, over a connection that is kept. */
async function attempts(behave: Behaviour, times = 1) {
  await using server = await startHostile(behave)
  const transport = createTransport({
    rules,
    resolve: async () => [{ address: '127.0.0.2', family: 4 }],
    deadlineMs: 2_000,
  })
  const url = new URL(`http://hooks.example.com:${server.port}/`)
  const answers = []
  for (let n = 0; n < times; n++) {
    const { signal } = new AbortController()
    const answer = await transport.post({ url, headers: [], body: Buffer.from('{}'), signal })
    const error = answer.status === null ? classOf(answer.error) : null
    answers.push({ status: answer.status, body: String(answer.body), retryAfter: answer.retryAfter, error })
  }
  await transport.close()
  return { answers, requests: server.requests.length, connections: server.connections }
}

const writes =
  (text: string): Behaviour =>
  (socket) =>
    socket.write(text)
const ok = { status: 200, body: 'ok', retryAfter: undefined, error: null }

describe('an informational response that nobody asked for is read over', () => {
  test.for([
    ['100', head('100 Continue')],
    ['100 with headers', head('100 Continue', 'date: today', 'server: IIS')],
    ['100 of HTTP/1.0', head('100 Continue').replace('1.1', '1.0')],
    ['two of them', head('100 Continue').repeat(2)],
    ['100, 102 and 103', head('100 Continue') + head('102 Processing') + head('103 Early Hints', 'link: </x>')],
    ['one without words', 'HTTP/1.1 100\r\n\r\n'],
  ] as [string, string][])('%s', async ([, before]) => {
    const { answers, requests, connections } = await attempts(writes(before + fine()), 3)
    expect(answers).toEqual([ok, ok, ok])
    expect([requests, connections <= 2]).toEqual([3, true])
  })

  test('what it holds for the response is not taken for that', async () => {
    const { answers } = await attempts(writes(head('100 Continue', 'retry-after: 9', 'content-length: 7') + fine()))
    expect(answers).toEqual([ok])
  })

  test('one that never ends is cut', async () => {
    const { answers } = await attempts(floods('HTTP/1.1 100 Continue\r\n', `x: ${'y'.repeat(1_000)}\r\n`))
    expect(answers).toMatchObject([{ status: null, error: 'E_HEAD_TOO_LARGE' }])
  })

  test('so are endless ones', async () => {
    const { answers } = await attempts(floods('', head('100 Continue').repeat(100)))
    expect(answers).toMatchObject([{ status: null, error: 'E_HEAD_TOO_LARGE' }])
  })
})

describe('a header that goes on in the next line is one line', () => {
  test.for([
    ['space', 'retry-after:\r\n 7', '7'],
    ['tab', 'retry-after:\r\n\t7', '7'],
    ['several', 'retry-after: Fri, 02 Jan\r\n  2026\r\n\t03:04:35 GMT', 'Fri, 02 Jan 2026 03:04:35 GMT'],
  ] as [string, string, string][])('%s', async ([, line, retryAfter]) => {
    const { answers } = await attempts(writes(fine('x: a\r\n b', line)), 2)
    expect(answers).toEqual([
      { ...ok, retryAfter },
      { ...ok, retryAfter },
    ])
  })

  test('a body that looks like one stays as it is', async () => {
    const body = 'a\r\n b\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'
    const { answers } = await attempts(writes(`${head('200 OK', `content-length: ${body.length}`)}${body}`), 2)
    expect(answers.map((answer) => answer.body)).toEqual([body, body])
  })
})

test('in whatever pieces it comes', async () => {
  const text = head('100 Continue', 'a: b\r\n c') + fine('retry-after: 1\r\n 2', 'x: y\r\n\tz')
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: text.length - 1 }), { maxLength: 8 }), async (cuts) => {
      const edges = [0, ...cuts.toSorted((a, b) => a - b), text.length]
      const pieces = edges.slice(1).map((end, n) => text.slice(edges[n], end))
      const { answers } = await attempts(async (socket) => {
        for (const piece of pieces) {
          await new Promise((resolve) => socket.write(piece, resolve))
          await new Promise((resolve) => setImmediate(resolve))
        }
      })
      expect(answers).toEqual([{ ...ok, retryAfter: '1 2' }])
    }),
    { numRuns: 40 },
  )
})
