import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DeveloperApi, Login } from '../../sdk/typescript/src/index.ts'

/** One that sends everybody elsewhere, as a proxy does to a wrong address, and whoever is there. */
let redirecting: Server
let elsewhere: Server
let status = 307
let asked: (string | undefined)[] = []
const taken: string[] = []
const open = async (server: Server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
let baseUrl: string
beforeAll(async () => {
  elsewhere = createServer(async (request, response) => {
    taken.push(`${request.url} ${Buffer.concat(await request.toArray())}`)
    response.setHeader('content-type', 'application/json').end('{}')
  })
  const location = await open(elsewhere)
  redirecting = createServer((request, response) => {
    asked.push(request.url)
    response.writeHead(status, { location: `${location}${request.url}` }).end('elsewhere')
  })
  baseUrl = await open(redirecting)
})
afterAll(() => {
  for (const server of [redirecting, elsewhere]) {
    server.closeAllConnections()
    server.close()
  }
})

test.each([301, 302, 303, 307, 308])(
  'secrets, codes and bodies follow no redirect (%i), and the error names the mistake',
  async (given) => {
    status = given
    asked = []
    const application = { clientId: 'cli_x', clientSecret: 'a secret' }
    const login = new Login({ baseUrl, ...application })
    const { pending } = await login.begin({ redirectUri: 'http://127.0.0.1/callback', scopes: ['user:read'] })
    const back = `${pending.redirectUri}?${new URLSearchParams({ code: 'x', state: pending.state, iss: baseUrl })}`
    const tokens = { access_token: 'old', refresh_token: 'refresh', scope: 'user:read', expires_at: 0 }
    const api = new DeveloperApi({ baseUrl, credential: 'a key' })
    const calls = [
      () => login.finish(back, pending),
      () => login.revoke('token'),
      () => login.introspect('token'),
      () => login.withDevice({ scopes: ['user:read'], onCode: () => {} }),
      () => new DeveloperApi({ baseUrl, application }).channels.get('ada'),
      () => new DeveloperApi({ baseUrl, user: { ...application, tokens, onTokens: () => {} } }).channels.get('ada'),
      () => api.chat.send({ room_name: 'ada', content: 'hello' }),
      () => api.events.follow()[Symbol.asyncIterator]().next(),
    ]
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ code: 'redirected', message: expect.stringContaining(baseUrl) })
    expect(taken).toEqual([])
    expect(asked).toHaveLength(calls.length)
  },
)
