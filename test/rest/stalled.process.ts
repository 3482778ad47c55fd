import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/domain/core/ids.ts'
import { readBytes } from '../../src/rest/http/bodies/read-bytes.ts'
import { LoadLimit } from '../../src/rest/http/load-limit.ts'
import { createTestApp } from '../support/app.ts'

const loadLimit = new LoadLimit()
const app = await createTestApp({ loadLimit })
afterAll(() => app[Symbol.asyncDispose]())
const { server } = app
const { timeout, requestTimeout, headersTimeout } = server
beforeEach(() => void Object.assign(server, { timeout, requestTimeout, headersTimeout }))

const token = await app.token(['chat:write', 'webhook:write'], { user: await app.user('ada') })
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise(setImmediate)
}
async function open(port = Number(new URL(app.base).port)): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  return socket
}
async function textOf(socket: Socket) {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}
const statusOf = (answer: string) => Number(/(?<=^HTTP\/1\.1 )\d+/.exec(answer)?.[0])

test('a client who never reads its answers is cut off, and its place is free again', { timeout: 10_000 }, async () => {
  expect(timeout, 'longer than streams are silent, and than any answer takes').toBe(30_000)
  server.timeout = 300
  const connected = once(server, 'connection')
  const socket = await open()
  const [connection] = await connected
  const closed = once(connection, 'close')
  socket.pause().write('GET /docs/assets/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(16)) // 27 MB
  await until(() => loadLimit.requests === 1)
  await closed
  expect(loadLimit.requests).toBe(0)
  socket.destroy()
})

/** Every way of reading a body, and what is answered to one that is empty of sense. */
const bodies = [
  ['/v1/chat/messages', 'application/json', '{"x":1    }', 400],
  ['/oauth/token', 'application/x-www-form-urlencoded', 'x=123456789', 400],
  ['/login', 'application/x-www-form-urlencoded', 'x=123456789', 403],
  ['/trpc/livestreams.end', 'application/json', '{"x":1    }', 403],
] as const

const headOf = (path: string, type: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n`

/** A client whose body is awaited. */
async function announce(path: string, type: string, length: number): Promise<Socket> {
  const requested = once(server, 'request')
  const socket = await open()
  socket.write(`${headOf(path, type, length)}Connection: close\r\n\r\n`)
  const [request] = await requested
  await until(() => request.listenerCount('data') > 0)
  return socket
}

test('bodies that do not come are 408 within seconds, and take nobody anything', async () => {
  expect([requestTimeout, headersTimeout]).toEqual([9_000, 9_000])
  const sockets: Socket[] = []
  for (const [path, type, body] of bodies) sockets.push(await announce(path, type, body.length))
  expect(loadLimit.requests).toBe(0)
  Object.assign(server, { requestTimeout: 100, headersTimeout: 100 }) // looked at twice a second
  expect((await Promise.all(sockets.map(textOf))).map(statusOf)).toEqual([408, 408, 408, 408])
  expect(loadLimit.requests).toBe(0)
})

describe.each(bodies)('a body of POST %s', (path, type, body, status) => {
  test('takes no place before it is whole, and then is answered', async () => {
    const socket = await announce(path, type, body.length)
    expect(loadLimit.requests).toBe(0)
    socket.write(body.slice(0, 4))
    expect(loadLimit.requests).toBe(0)
    socket.write(body.slice(4))
    expect(statusOf(await textOf(socket))).toBe(status)
    expect(loadLimit.requests).toBe(0)
  })

  test('finds no place when others have taken all meanwhile: 503', async () => {
    const socket = await announce(path, type, body.length)
    const places = Array.from({ length: 1000 }, (_, n) => loadLimit.take(`${n}`))
    socket.write(body)
    const answer = await textOf(socket)
    for (const place of places) place?.end()
    expect(statusOf(answer)).toBe(503)
    expect(answer).toMatch(/^Retry-After: 1\r$/im)
    expect(answer).toContain('busy')
  })

  test('above 64 KiB is 413, and ends the connection', async () => {
    const socket = await open()
    const large = 'x'.repeat(70_000)
    socket.write(`${headOf(path, type, large.length)}\r\n`)
    socket.write(large)
    const answer = await textOf(socket)
    expect(statusOf(answer)).toBe(413)
    expect(answer).toMatch(/^Connection: close\r$/im)
  })
})

/** What has arrived of a body of five bytes when its client leaves, and whether that is before or while it is read. */
const departures = [
  ['x', 'before'],
  ['x', 'while'],
  ['12345', 'before'],
] as const

test.each(departures)('a client who has sent "%s" and leaves %s that is read is noticed', async (sent, when) => {
  const bare = createServer().listen(0, '127.0.0.1')
  await once(bare, 'listening')
  const requested = once(bare, 'request')
  const socket = await open((bare.address() as AddressInfo).port)
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n${sent}`)
  const [request]: IncomingMessage[] = await requested
  if (!request) throw new Error('There is a request')
  const closed = new Promise((resolve) => request.on('error', () => {}).once('close', resolve))
  const leave = async () => {
    socket.resetAndDestroy()
    await closed
  }
  if (when === 'before') await leave()
  const read = expect(readBytes(request, 10, undefined)).rejects.toMatchObject({ message: 'body: ended too early.' })
  if (when === 'while') await leave()
  await read
  bare.close()
})

const asking = [
  'GET /v1/users/me',
  'GET /trpc/users.me',
  'GET /trpc/chat.watch?input=%7B%22room_name%22%3A%22ada%22%7D',
  'GET /login',
  `GET /oauth/authorize?client_id=${newId('client', new Date())}`, // is refused in the end
]

test.each(asking)('a caller who leaves has its place until the work for it has ended: %s', async (route) => {
  await app.context.slow.transaction(async (tx) => {
    await tx.execute(sql`lock table users, clients in access exclusive mode`)
    const connected = once(server, 'connection')
    const socket = await open()
    const [connection] = await connected
    socket.write(
      `${route} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nCookie: sid=${'x'.repeat(43)}\r\n\r\n`,
    )
    await until(() => loadLimit.requests === 1)
    const closed = new Promise((resolve) => connection.once('close', resolve))
    socket.resetAndDestroy()
    await closed
    await new Promise(setImmediate)
    expect(loadLimit.requests).toBe(1)
  })
  await until(() => loadLimit.requests === 0)
  expect(loadLimit.streams).toBe(0)
})

test('a form in another encoding than ours is 415, and one that is no UTF-8 is 400', async () => {
  const send = (headers: Record<string, string>, body: string | Buffer) => app.request('POST /login', { headers, body })
  const form = 'application/x-www-form-urlencoded'
  const answers = [
    await send({ 'content-type': 'application/json' }, '{}'),
    await send({ 'content-type': form, 'content-encoding': 'gzip' }, 'x'),
    await send({ 'content-type': form }, Buffer.from([0xff])),
  ]
  expect(answers.map(({ status }) => status)).toEqual([415, 415, 400])
})
