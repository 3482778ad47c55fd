import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { LoadLimit } from '../../src/rest/http/load-limit.ts'
import { createTestApp } from '../support/app.ts'

type Line = { level: number; operation: string; method: string; path: string; status: number; reason?: string }

/** The service, with every line of its log, every measured request and the places that are taken. */
async function createObservedApp(loadLimit = new LoadLimit()) {
  const lines: Line[] = []
  const measured: [string, number][] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const app = await createTestApp({
    loadLimit,
    log,
    measure: (operation, status) => void measured.push([operation, status]),
  })
  return {
    ...app,
    lines,
    loadLimit,
    /** Ends the service. What each request was told of as, by the log; checks that it was measured as the same. */
    async told(count: number) {
      await until(() => lines.length >= count)
      app.server.closeAllConnections()
      await once(app.server.close(), 'close') // whatever would be told twice has been by now
      expect(measured).toEqual(lines.map(({ operation, status }) => [operation, status]))
      return lines.map(({ operation, status }) => `${status} ${operation}`)
    },
    async write(bytes: string): Promise<Socket> {
      const socket = connect(Number(new URL(app.base).port), '127.0.0.1').on('error', () => {})
      await once(socket, 'connect')
      socket.write(bytes)
      return socket
    },
  }
}

async function until(isSo: () => boolean) {
  while (!isSo()) await new Promise(setImmediate)
}

async function textOf(socket: Socket) {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`
const post = (path: string, token: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

test('a client who leaves before the answer has one line with 499, and its application an unanswered request', async () => {
  await using app = await createObservedApp()
  const client = await app.client()
  const token = await app.token(['chat:write'], { user: await app.user('ada'), client })
  const { take } = app.context.counters
  const admitted = new Promise<void>((resolve) => {
    app.context.counters.take = async (limit, key) => take(limit, key).finally(() => setImmediate(resolve))
  })
  const socket = await app.write(`${post('/v1/chat/messages', token, 100)}{`)
  await admitted
  socket.destroy()
  expect(await app.told(1)).toEqual(['499 POST /v1/chat/messages'])
  expect(app.lines[0]).toMatchObject({ clientId: client.id })
  expect(app.context.usage.take()).toMatchObject([
    { clientId: client.id, operation: 'POST /v1/chat/messages', requests: 1, errors: 0 },
  ])
  expect(app.loadLimit.requests).toBe(0)
})

test('what a client who left had sent ahead has a line with 499 each, and takes no place', async () => {
  await using app = await createObservedApp()
  const token = await app.token(['chat:write'], { user: await app.user('ada') })
  const ahead = ['/v1/channels/', '/docs', '/v1/nowhere'].map((path) => get(path)).join('')
  const socket = await app.write(`${post('/v1/chat/messages', token, 100)}{${' '.repeat(99)}${ahead}`)
  await until(() => app.loadLimit.requests === 1)
  expect(app.loadLimit.requests).toBe(1)
  socket.resetAndDestroy()
  const told = await app.told(4)
  expect(told.slice(-3)).toEqual(['499 GET /v1/channels/', '499 GET /docs', '499 (none)'])
  expect(told).toHaveLength(4)
  await until(() => app.loadLimit.requests === 0) // the work for who has left goes on, and has its place meanwhile
})

test('what is sent too far ahead has a line with 499 each', async () => {
  await using app = await createObservedApp()
  const text = await textOf(await app.write(get('/health/ready') + get('/health/').repeat(50)))
  expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(17)
  const told = await app.told(51)
  expect(told.filter((line) => line.startsWith('200'))).toHaveLength(17)
  expect(told.filter((line) => line === '499 GET /health/')).toHaveLength(34)
})

test('what was sent behind a request whose answer ends the connection is not begun, and keeps no place', async () => {
  await using app = await createObservedApp()
  const token = await app.token(['chat:write'], { user: await app.user('ada') })
  const large = post('/v1/chat/messages', token, 70_000) + 'x'.repeat(70_000)
  const text = await textOf(await app.write(large + get('/v1/channels/').repeat(2)))
  expect(text.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['413'])
  expect(await app.told(3)).toEqual(['413 POST /v1/chat/messages', '499 GET /v1/channels/', '499 GET /v1/channels/'])
  expect(app.loadLimit.requests).toBe(0)
})

test('what is no HTTP has a line of its own, at debug only', async () => {
  await using app = await createObservedApp()
  expect(await textOf(await app.write('no http at all\r\n\r\n'))).toContain('HTTP/1.1 400')
  expect(await textOf(await app.write(get('/', `X: ${'y'.repeat(20_000)}\r\n`)))).toContain('HTTP/1.1 431')
  expect(await app.told(2)).toEqual(['400 (none)', '431 (none)'])
  const { debug } = pino.levels.values
  expect(app.lines.map(({ level, reason }) => [level, reason])).toEqual([
    [debug, expect.stringMatching(/^HPE_/)],
    [debug, 'HPE_HEADER_OVERFLOW'],
  ])
})

test('what stops being HTTP in the middle of a request has the line of that request, with the status that was sent', async () => {
  await using app = await createObservedApp()
  const token = await app.token(['chat:write'], { user: await app.user('ada') })
  const head = post('/v1/chat/messages', token, 0).replace('Content-Length: 0', 'Transfer-Encoding: chunked')
  expect(await textOf(await app.write(`${head}no chunk\r\n`))).toContain('HTTP/1.1 400')
  expect(await app.told(1)).toEqual(['400 POST /v1/chat/messages'])
  expect(app.lines[0]).toMatchObject({ level: pino.levels.values.info, reason: 'HPE_INVALID_CHUNK_SIZE' })
})

test('what is refused before it is looked at has one line, with its operation', async () => {
  const loadLimit = new LoadLimit()
  await using app = await createObservedApp(loadLimit)
  await textOf(await app.write('GET /v1/channels/ HTTP/1.1\r\nConnection: close\r\n\r\n')) // no Host
  for (let n = 0; n < 1000; n++) loadLimit.take(`${n}`)
  expect((await app.request('GET /v1/categories/')).status).toBe(503)
  expect((await app.request('GET /docs/')).status).toBe(503)
  expect(await app.told(3)).toEqual(['400 GET /v1/channels/', '503 GET /v1/categories/', '503 GET /docs'])
})

test('what is asked of no operation is measured as such, whatever it was', async () => {
  await using app = await createObservedApp()
  for (const route of ['GET /v1/nowhere', 'DELETE /v1/channels/', 'OPTIONS /v1/channels/', 'PUT /docs/']) {
    await app.request(route)
  }
  expect(await app.told(4)).toEqual(['404 (none)', '405 (none)', '204 (none)', '405 OTHER /docs'])
})
