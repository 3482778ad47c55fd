import { getEventListeners, once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { ConnectionError, DeveloperApi, Login } from '../../sdk/typescript/src/index.ts'
import { wait } from '../../sdk/typescript/src/wait.ts'
import { collectGarbage } from '../support/garbage.ts'

let answer: RequestListener = () => {}
const asked: string[] = []
const server = createServer((request, response) => {
  asked.push(request.url ?? '')
  answer(request, response)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const silent: RequestListener = () => {}
const unfinished: RequestListener = (_, response) => void response.writeHead(200).write('{"data":')
const refusingUnfinished: RequestListener = (_, response) => void response.writeHead(503).write('{"error":')
const kinds = { silent, unfinished, refusingUnfinished }

test.each(Object.entries(kinds))(
  'a service that hangs is no answer, in its time: %s',
  async (_, hanging) => {
    using garbage = collectGarbage()
    answer = hanging
    asked.length = 0
    const api = new DeveloperApi({ baseUrl, credential: 'x', timeoutS: 0.2, tries: 2 })
    await expect(api.users.me()).rejects.toThrow(ConnectionError)
    expect(asked).toHaveLength(2)
    expect(garbage).toBeDefined()
  },
  5_000,
)

test('a fetch that heeds no signal is left behind', async () => {
  const given = { baseUrl, credential: 'x', timeoutS: 0.2, tries: 1, fetch: () => new Promise<Response>(() => {}) }
  await expect(new DeveloperApi(given).users.me()).rejects.toThrow(ConnectionError)
}, 5_000)

test.each(Object.entries({ silent, refusingUnfinished }))(
  'a feed that does not open in its time is told of, and opened anew: %s',
  async (_, hanging) => {
    using garbage = collectGarbage()
    answer = hanging
    const stop = new AbortController()
    const lost: Error[] = []
    const onLost = (error: Error) => {
      lost.push(error)
      if (lost.length === 2) stop.abort()
    }
    const api = new DeveloperApi({ baseUrl, credential: 'x', timeoutS: 0.2 })
    for await (const event of api.events.follow({ signal: stop.signal, onLost })) expect(event).toBeUndefined()
    expect(lost).toEqual([expect.any(ConnectionError), expect.any(ConnectionError)])
    expect([garbage !== undefined, getEventListeners(stop.signal, 'abort')]).toEqual([true, []])
  },
  5_000,
)

test('a feed ends by its signal also while its credential is waited for', async () => {
  const stop = new AbortController()
  const credential = () => {
    setTimeout(() => stop.abort(), 50)
    return new Promise<string>(() => {})
  }
  const feed = new DeveloperApi({ baseUrl, credential }).events.follow({ signal: stop.signal })
  for await (const event of feed) expect(event).toBeUndefined()
}, 5_000)

test('a login by a device ends by its signal also while the service does not answer', async () => {
  const stop = new AbortController()
  answer = ({ url }, response) => {
    const codes = { device_code: 'd', user_code: 'u', verification_uri: baseUrl, expires_in: 60, interval: 0.01 }
    if (url === '/oauth/token') stop.abort(new Error('stopped'))
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(codes))
  }
  const login = new Login({ baseUrl, clientId: 'cli_x' })
  const given = { scopes: ['user:read'], onCode: () => {}, signal: stop.signal }
  await expect(login.withDevice(given)).rejects.toThrow('stopped')
}, 5_000)

test('a wait that no timer can bear is not over at once', async () => {
  const stop = new AbortController()
  const waiting = wait(2 ** 40, stop.signal)
  setTimeout(() => stop.abort(new Error('stopped')), 50)
  await expect(waiting).rejects.toThrow('stopped')
})
