import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { remoteFeed } from '../../src/cli/remote-feed.ts'
import { resumedFeed } from '../../src/cli/resumed-feed.ts'

test('a connection that has become silent is given up, and the next one goes on where it was', async () => {
  const asked: string[] = []
  let opened: (stream: ServerResponse) => void = () => {}
  const nextStream = () =>
    new Promise<ServerResponse>((resolve) => {
      opened = resolve
    })
  const server = createServer(({ url = '', headers }, response) => {
    asked.push(url)
    if (headers.accept !== 'text/event-stream') {
      response.writeHead(200, { 'content-type': 'application/json', link: '</v1/events?after=A>; rel="next"' })
      response.end('{"data":[]}')
    } else {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n')
      opened(response)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const said: boolean[] = []
  const stop = new AbortController()
  const notices = { signal: stop.signal, onInterruption: (is: boolean) => void said.push(is), onMissed: () => {} }
  const feed = resumedFeed(remoteFeed({ url, credential: async () => 'x' }, {}), {}, notices)
  const first = nextStream()
  expect(await feed.next()).toEqual({ value: [], done: false })
  const silent = await first
  const lost = once(silent, 'close')
  const second = nextStream()
  const next = feed.next()
  vi.advanceTimersByTime(39_000)
  expect([silent.destroyed, said]).toEqual([false, []])
  vi.advanceTimersByTime(2_000)
  await lost
  const stream = await second
  expect(await next).toEqual({ value: [], done: false })
  stream.write('id: B\nevent: chat.message.sent\ndata: {"id":"evt_1","type":"chat.message.sent"}\n\n')
  expect((await feed.next()).value).toMatchObject([{ id: 'evt_1', cursor: 'B' }])
  vi.useRealTimers()
  expect([asked, said]).toEqual([
    ['/v1/events', '/v1/events?after=A', '/v1/events?after=A'],
    [true, false],
  ])
  stop.abort()
  await feed.return(undefined)
  server.close()
  server.closeAllConnections()
})
