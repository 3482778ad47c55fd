import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())

/** What comes back until the connection is closed, or the answer to a second request that was meant to be seen as such. */
async function answersTo(head: string[], body = ''): Promise<string> {
  const socket = connect(Number(new URL(app.base).port), '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write(`${['POST /v1/chat/messages HTTP/1.1', 'Host: x', ...head].join('\r\n')}\r\n\r\n${body}`)
  socket.end()
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

/** What a proxy in front might take for the body, and we for the next request. */
const HIDDEN = 'GET /v1/hidden HTTP/1.1\r\nHost: x\r\n\r\n'
const CHUNKED = 'Transfer-Encoding: chunked'

test.each([
  ['a length and chunks', ['Content-Length: 6', CHUNKED], `0\r\n\r\n${HIDDEN}`],
  ['two lengths that differ', ['Content-Length: 0', `Content-Length: ${HIDDEN.length}`], HIDDEN],
  ['a list of lengths', [`Content-Length: 0, ${HIDDEN.length}`], HIDDEN],
  ['a length with a sign', [`Content-Length: +${HIDDEN.length}`], HIDDEN],
  ['a hexadecimal length', ['Content-Length: 0x0'], HIDDEN],
  ['chunks that are not the last encoding', ['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${HIDDEN}`],
  ['chunks twice', ['Transfer-Encoding: chunked, chunked'], `0\r\n\r\n${HIDDEN}`],
  ['an encoding that nobody knows', ['Transfer-Encoding: xchunked'], `0\r\n\r\n${HIDDEN}`],
  ['a blank before the colon', ['Transfer-Encoding : chunked'], `0\r\n\r\n${HIDDEN}`],
  ['a header that goes on in the next line', ['Transfer-Encoding:', ' chunked'], `0\r\n\r\n${HIDDEN}`],
  ['a line that ends without CR', [`X: y\n${CHUNKED}`], `0\r\n\r\n${HIDDEN}`],
  ['a NUL in a header', ['X: a\0b', 'Content-Length: 0'], HIDDEN],
  ['a chunk whose size overflows', [CHUNKED], `fffffffffffffffff\r\n${HIDDEN}`],
  ['a chunk whose size is none', [CHUNKED], `0x0\r\n\r\n${HIDDEN}`],
  ['a chunk that ends without CRLF', [CHUNKED], `1\r\naX0\r\n\r\n${HIDDEN}`],
])('%s: refused once, in the envelope, and nothing behind it is read as a request', async (_, head, body) => {
  const text = await answersTo(head, body)
  expect(text).toMatch(/^HTTP\/1\.1 4\d\d /)
  expect(text).toContain('"code":')
  expect(text.match(/HTTP\/1\.1 \d/g)).toHaveLength(1)
  expect(app.lines.join('')).not.toContain('hidden')
})
