import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { LoadLimit } from '../../src/rest/http/load-limit.ts'
import { createLiveApp } from '../support/app.ts'

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`

async function write(app: { base: string }, bytes: string) {
  const socket = connect(Number(new URL(app.base).port), '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}

test('a client who leaves gives back its place, whatever it had sent ahead', async () => {
  const loadLimit = new LoadLimit()
  await using app = await createLiveApp({ loadLimit })
  const token = await app.token(['chat:read'], { user: await app.user('ada') })
  const input = encodeURIComponent(JSON.stringify({ room_name: 'ada' }))
  const stream = get(
    `/trpc/chat.watch?input=${input}`,
    `Accept: text/event-stream\r\nAuthorization: Bearer ${token}\r\n`,
  )
  for (const first of [stream, `${get('/health/')}${stream}`]) {
    const arrived = once(app.server, 'connection')
    const socket = await write(app, first + get('/v1/channels/').repeat(12))
    const [connection] = await arrived
    await once(socket, 'data')
    socket.resetAndDestroy()
    await new Promise((resolve) => connection.once('close', resolve))
  }
  while (loadLimit.requests > 0) await new Promise(setImmediate) // the work for who has left ends, too
  expect(loadLimit.streams).toBe(0)
})

test('requests that were sent ahead are answered one after the other, in their order', async () => {
  await using app = await createLiveApp()
  const paths = ['/v1/nowhere', '/health/', '/docs', '/v1/channels/', '/health/ready', '/health/']
  const close = get('/health/', 'Connection: close\r\n')
  let text = ''
  for await (const chunk of await write(app, paths.map((path) => get(path)).join('') + close)) text += chunk
  expect(text.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['404', '200', '200', '401', '200', '200', '200'])
})

test('who sends too far ahead gets the answers up to there, and then the end of the connection', async () => {
  await using app = await createLiveApp()
  let text = ''
  for await (const chunk of await write(app, get('/health/ready') + get('/health/').repeat(500))) text += chunk
  expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(17)
  expect(text.match(/\r\nConnection: close\r\n/g)).toHaveLength(1)
})
