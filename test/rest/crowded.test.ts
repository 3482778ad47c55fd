import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { afterAll, expect, test, vi } from 'vitest'
import { connectionOf, followConnections, unreadCutter } from '../../src/rest/http/connection.ts'
import { LoadLimit } from '../../src/rest/http/load-limit.ts'
import { createTestApp } from '../support/app.ts'

const loadLimit = new LoadLimit()
const app = await createTestApp({ loadLimit })
afterAll(() => app[Symbol.asyncDispose]())
const token = await app.token(['chat:write'], { user: await app.user('ada') })
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise(setImmediate)
}
async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(app.base).port), '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  return socket
}

test('bodies that do not end take no more memory of an address than it may have, and others who send are heard', async () => {
  const head =
    'POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 65500\r\n\r\n'
  const sockets: Socket[] = []
  const refused: string[] = []
  for (let n = 0; n < 140; n++) {
    const socket = await open()
    socket.on('data', (chunk) => refused.push(String(chunk).slice(0, 12)))
    socket.write(`${head}${'x'.repeat(65_000)}`)
    sockets.push(socket)
  }
  await until(() => refused.length >= 140 - Math.ceil((8 * 1024 * 1024) / 65_000))
  expect(new Set(refused)).toEqual(new Set(['HTTP/1.1 503']))
  const said = await app.request('POST /v1/chat/messages', { token, body: { room_name: 'ada', content: 'still here' } })
  expect(said.status).toBe(201)
  for (const socket of sockets) socket.destroy()
  await until(() => loadLimit.requests === 0 && loadLimit.unfinishedBytes === 0)
})

test('what is thrown away of a body that is too large is held by nobody', async () => {
  const socket = await open()
  socket.write(
    `POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 4000000\r\n\r\n`,
  )
  const held: number[] = []
  for (let sent = 0; sent < 3_000_000; sent += 60_000) {
    await new Promise((resolve) => socket.write('x'.repeat(60_000), resolve))
    held.push(loadLimit.unfinishedBytes)
  }
  expect(Math.max(...held)).toBeLessThan(200_000)
  await until(() => loadLimit.unfinishedBytes === 0)
  socket.destroy()
})

test('where there are too many connections, whoever has most loses idle ones, the oldest first, and nobody else any', async () => {
  const waiting: ServerResponse[] = []
  const crowded = createServer((_, response) => waiting.push(response))
  followConnections(crowded, 20)
  await once(crowded.listen(0, '0.0.0.0'), 'listening')
  const { port } = crowded.address() as AddressInfo
  const closed: string[] = []
  const dial = async (localAddress: string, name: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
    socket.once('close', () => closed.push(name)).resume()
    const isKnown = once(crowded, 'connection')
    await Promise.all([once(socket, 'connect'), isKnown])
    return socket
  }
  const sockets = [await dial('127.0.0.1', 'asks')]
  sockets[0]?.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await until(() => waiting.length === 1)
  const [answering] = waiting
  if (answering?.req.socket) connectionOf(answering.req.socket).answering = answering
  for (let n = 0; n < 14; n++) sockets.push(await dial('127.0.0.1', `many ${n}`))
  for (let n = 0; n < 8; n++) sockets.push(await dial('127.0.0.2', `few ${n}`))
  await until(() => closed.length === 3)
  expect(closed).toEqual(['many 0', 'many 1', 'many 2'])
  for (const socket of sockets) socket.destroy()
  crowded.close()
})

test('when there is no place, whoever takes nothing of an answer for seconds is cut off, streams and slow readers are not', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const crowded = createServer()
    followConnections(crowded)
    const cutUnread = unreadCutter(crowded)
    const limit = new LoadLimit()
    const connectionWith = (name: string, isAnswered: boolean, isStream = false) => {
      const socket = Object.assign(new Socket(), { name })
      const place = limit.take('192.0.2.1')
      if (isAnswered) place?.release()
      Object.assign(connectionOf(socket), { place, record: { isStream } })
      crowded.emit('connection', socket)
      return socket
    }
    const [unread, working, stream, slow] = [
      connectionWith('unread', true),
      connectionWith('working', false),
      connectionWith('stream', true, true),
      connectionWith('slow', true),
    ]
    let taken = 0
    Object.defineProperty(slow, 'bytesWritten', { get: () => taken++ })
    for (let n = 0; n < 8; n++) {
      cutUnread()
      vi.advanceTimersByTime(1_000)
    }
    expect([unread, working, stream, slow].map(({ destroyed }) => destroyed)).toEqual([true, false, false, false])
  } finally {
    vi.useRealTimers()
  }
})
