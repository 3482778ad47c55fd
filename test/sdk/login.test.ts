import { createServer, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ApiError, type DeviceCode, Login } from '../../sdk/typescript/src/index.ts'
import { NATIVE_CALLBACK } from '../support/flows.ts'
import { createPeopleApp, type PeopleApp } from '../support/people.ts'

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const asked = { redirectUri: NATIVE_CALLBACK, scopes: ['user:read'] }
const loginOf = () => new Login({ baseUrl: app.base, clientId: app.native.id })

/** Where a person is sent back to, after they decided. */
async function decided(url: string, decision: 'allow' | 'deny'): Promise<string> {
  const browser = await app.loggedIn()
  const page = await browser.submit(await browser.get(url), '/oauth/authorize', { decision })
  return page.location?.href ?? ''
}

describe('a login by redirect', () => {
  test('gives tokens that work, and can be revoked', async () => {
    const login = loginOf()
    const { url, pending } = await login.begin(asked)
    const tokens = await login.finish(await decided(url, 'allow'), pending)
    expect(tokens).toMatchObject({ scope: 'user:read', expires_at: expect.any(Number) })
    expect(await app.statusOf(tokens.access_token)).toBe(200)
    await login.revoke(tokens.refresh_token ?? '')
    expect(await app.statusOf(tokens.access_token)).toBe(401)
  })

  test('says that it was refused', async () => {
    const login = loginOf()
    const { url, pending } = await login.begin(asked)
    await expect(login.finish(await decided(url, 'deny'), pending)).rejects.toMatchObject({ code: 'access_denied' })
  })

  test('takes no answer to another login, and none of another service', async () => {
    const login = loginOf()
    const [one, two] = [await login.begin(asked), await login.begin(asked)]
    const back = await decided(one.url, 'allow')
    await expect(login.finish(back, two.pending)).rejects.toMatchObject({ code: 'invalid_state' })
    const forged = new URL(back)
    forged.searchParams.set('iss', 'https://evil.example')
    const told = `This is the answer of https://evil.example, and not of ${app.base}`
    await expect(login.finish(forged, one.pending)).rejects.toMatchObject({
      code: 'invalid_issuer',
      message: expect.stringContaining(told),
    })
    for (const iss of ['', undefined]) {
      if (iss === undefined) forged.searchParams.delete('iss')
      else forged.searchParams.set('iss', iss)
      await expect(login.finish(forged, one.pending)).rejects.toMatchObject({ code: 'invalid_issuer' })
    }
    expect((await login.finish(back, one.pending)).scope).toBe('user:read')
  })

  test('sends its code once, also when nobody answers', async () => {
    const sent: string[] = []
    const lost: typeof fetch = async (input) => {
      sent.push(String(input))
      throw new TypeError('fetch failed')
    }
    const login = new Login({ baseUrl: app.base, clientId: app.native.id, fetch: lost })
    const { pending } = await login.begin(asked)
    await expect(
      login.finish(`${NATIVE_CALLBACK}?code=x&state=${pending.state}&iss=${app.base}`, pending),
    ).rejects.toThrow('did not answer')
    expect(sent).toHaveLength(1)
  })
})

describe('a login by a code on another device (RFC 8628)', () => {
  /** An authorization server that gives these answers, one after another, as any that keeps the standard. */
  async function standardServer(...answers: object[]) {
    const asked: Record<string, string>[] = []
    const server = createServer(async (request: IncomingMessage, response) => {
      asked.push((await json(request)) as Record<string, string>)
      const answer = answers.shift() ?? {}
      response
        .writeHead('error' in answer ? 400 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    return { base: `http://127.0.0.1:${port}`, asked, [Symbol.dispose]: () => void server.close() }
  }
  const refusal = (code: string) => ({ error: { code, message: 'Not yet.' } })
  const device = {
    device_code: 'secret',
    user_code: 'ABCD-EFGH',
    verification_uri: 'https://x/device',
    expires_in: 600,
    interval: 0,
  }
  const tokens = {
    access_token: 'lsat',
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'user:read',
    refresh_token: 'lsrt',
  }

  test('shows the code, and waits until it was typed', async () => {
    using server = await standardServer(
      device,
      refusal('authorization_pending'),
      refusal('authorization_pending'),
      tokens,
    )
    const onCode = vi.fn<(code: DeviceCode) => void>()
    const login = new Login({ baseUrl: server.base, clientId: 'cli' })
    expect(await login.withDevice({ scopes: ['user:read'], onCode })).toMatchObject({ access_token: 'lsat' })
    expect(onCode).toHaveBeenCalledWith(expect.objectContaining({ userCode: 'ABCD-EFGH', expiresInS: 600 }))
    expect(server.asked.map(({ device_code }) => device_code)).toEqual([undefined, 'secret', 'secret', 'secret'])
  })

  test('ends when the person refuses', async () => {
    using server = await standardServer(device, refusal('access_denied'))
    const login = new Login({ baseUrl: server.base, clientId: 'cli' })
    await expect(login.withDevice({ scopes: [], onCode: () => {} })).rejects.toThrow(ApiError)
  })
})
