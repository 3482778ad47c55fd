import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

const open = async (base: string) => {
  const socket = connect(Number(new URL(base).port), '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

async function textUntilClosed(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

test('whoever sends a head byte by byte is told that it takes too long, and cut off', async () => {
  await using app = await createTestApp()
  expect([app.server.headersTimeout, app.server.requestTimeout]).toEqual([9_000, 9_000])
  app.server.headersTimeout = 100 // looked at twice a second
  const socket = await open(app.base)
  socket.write('GET /v1/categories/ HTTP/1.1\r\nHost: x\r\nX-')
  const answer = await textUntilClosed(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(answer).toContain('"code":"invalid_request"')
})

test.each([
  ['', ''],
  ['GET /health/ HTTP/1.1\r\nHost: x\r\n\r\n', 'HTTP/1.1 200 '],
])('a connection on which nothing more is asked after %j is closed without a word', async (sent, answered) => {
  await using app = await createTestApp()
  Object.assign(app.server, { headersTimeout: 100, requestTimeout: 100, keepAliveTimeout: 1_500 })
  const socket = await open(app.base)
  socket.write(sent)
  const text = await textUntilClosed(socket) // what is said unasked would be taken for the answer to the next request
  expect(text.slice(0, 'HTTP/1.1 200 '.length)).toBe(answered)
  expect(text.split('HTTP/1.1 ')).toHaveLength(sent === '' ? 1 : 2)
})

test('a flood of headers is refused before it is kept', async () => {
  await using app = await createTestApp()
  const socket = await open(app.base)
  socket.write(`GET / HTTP/1.1\r\nHost: x\r\n${'x-header: some value\r\n'.repeat(2_000)}`)
  const answer = await textUntilClosed(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 431 /)
  expect(answer).toContain('"code":"invalid_request"')
})

test('connections are bounded: one too many is closed, and those that are there go on', async () => {
  await using app = await createTestApp()
  expect(app.server.maxConnections).toBe(15_000)
  app.server.maxConnections = 1
  const first = await open(app.base)
  const second = await open(app.base)
  expect(await textUntilClosed(second)).toBe('')
  first.end('GET /health/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(await textUntilClosed(first)).toMatch(/^HTTP\/1\.1 200 /)
})
