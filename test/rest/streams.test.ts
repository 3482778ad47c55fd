import type { ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { LoadLimit } from '../../src/rest/http/load-limit.ts'
import { isStreamCall } from '../../src/rest/http/stream-calls.ts'
import { type SseForm, SseSink } from '../../src/rest/live/sse-sink.ts'
import { createLiveApp } from '../support/app.ts'

test('a call is a stream by the procedure that it names, however that is spelled', () => {
  for (const url of ['/trpc/chat.watch', '/trpc/deliveries.follow?input=%7B%7D', '/trpc/chat%2Ewatch#x']) {
    expect(isStreamCall('GET', url), url).toBe(true)
  }
  for (const url of [
    '/trpc/chat.list',
    '/trpc/x/chat.watch',
    '/trpc/%',
    '/trpc',
    '/v1/chat.watch',
    '/trpc?/chat.watch',
  ]) {
    expect(isStreamCall('GET', url), url).toBe(false)
  }
  for (const method of ['HEAD', 'POST']) expect(isStreamCall(method, '/trpc/chat.watch')).toBe(false)
})

test('what a caller accepts makes no stream of a plain call, and no plain call of a stream', async () => {
  const loadLimit = new LoadLimit()
  const measured: string[] = []
  await using app = await createLiveApp({ loadLimit, measure: (operation) => void measured.push(operation) })
  const token = await app.token(['chat:read', 'channel:read'], { user: await app.user('ada') })
  const input = encodeURIComponent('{"room_name":"ada"}')
  for (const name of ['chat.watch', 'chat%2Ewatch']) {
    const leaving = new AbortController()
    const { signal } = leaving
    const headers = { authorization: `Bearer ${token}`, accept: '*/*' }
    const { body } = await fetch(`${app.base}/trpc/${name}?input=${input}`, { headers, signal })
    expect((await body?.getReader().read())?.done).toBe(false)
    expect([loadLimit.streams, loadLimit.requests]).toEqual([1, 0])
    leaving.abort()
    while (loadLimit.streams > 0) await new Promise(setImmediate)
  }
  expect(measured).toEqual([])
  const accept = { accept: 'text/event-stream' }
  expect((await app.request('GET /trpc/channels.list?input=%7B%7D', { token, headers: accept })).status).toBe(200)
  expect((await app.request(`GET /trpc/x/chat.watch?input=${input}`, { token, headers: accept })).status).toBe(404)
  expect(measured).toEqual(['GET /trpc', 'GET /trpc'])
})

test('who is waited for again and again leaves no listeners', async () => {
  const socket = new PassThrough({ highWaterMark: 1 })
  const sink = new SseSink({ socket } as unknown as ServerResponse, {} as SseForm)
  const listeners = () => ['close', 'drain', 'error'].map((name) => socket.listenerCount(name))
  const before = listeners()
  for (let n = 0; n < 3; n++) {
    socket.write('several bytes')
    const drained = sink.drained()
    socket.read()
    await drained
  }
  expect(listeners()).toEqual(before)
})
