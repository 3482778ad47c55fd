import { afterAll, describe, expect, test } from 'vitest'
import { ConnectionError, DeveloperApi, RateLimitedError, ServerError } from '../../sdk/typescript/src/index.ts'
import { createTestApp } from '../support/app.ts'

type Sent = { method: string | undefined; key: string | null }
type Reply = (call: () => Promise<Response>) => Promise<Response>

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const ada = await app.user('ada')
const credential = await app.token(['chat:read', 'chat:write', 'channel:read'], { user: ada })

const refusal =
  (status: number, retryAfter: string): Reply =>
  async () =>
    Response.json(
      { error: { code: status === 429 ? 'rate_limited' : 'unavailable', message: 'Later.' } },
      { status, headers: { 'retry-after': retryAfter } },
    )
const lost: Reply = async () => {
  throw new TypeError('fetch failed')
}
/** The service does it, and its answer is lost. */
const answerLost: Reply = async (call) => {
  await call()
  throw new TypeError('terminated')
}

/** An API to which the network does one thing after another, and then nothing more. */
function through(...replies: Reply[]) {
  const sent: Sent[] = []
  const wire: typeof fetch = (input, init) => {
    sent.push({ method: init?.method, key: new Headers(init?.headers).get('idempotency-key') })
    const call = () => fetch(input, init)
    return (replies.shift() ?? ((pass) => pass()))(call)
  }
  return { sent, api: new DeveloperApi({ baseUrl: app.base, credential, fetch: wire }) }
}

describe('a call is sent again', () => {
  test.each([429, 503])('after %i, as soon as the answer says', async (status) => {
    const { api, sent } = through(refusal(status, '0'), refusal(status, '0'))
    expect((await api.channels.get('ada')).username).toBe('ada')
    expect(sent).toHaveLength(3)
  })

  test('after a connection that was lost, with the same key, so that it is done once', async () => {
    const { api, sent } = through(answerLost, lost)
    const message = await api.chat.send({ room_name: 'ada', content: 'once' })
    expect(sent).toHaveLength(3)
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1)
    const { items } = await api.chat.list({ room_name: 'ada' }).page()
    expect(items.map(({ id }) => id)).toEqual([message.id])
  })

  test('by another program with the same key, and is done once: by the first that was killed and did not hear of it', async () => {
    const said = []
    for (const program of [through(lost), through()]) {
      said.push(await program.api.chat.send({ room_name: 'ada', content: 'pong' }, { idempotencyKey: 'evt_1' }))
      expect(new Set(program.sent.map(({ key }) => key))).toEqual(new Set(['evt_1']))
    }
    expect(said[1]).toEqual(said[0])
    const bob = await app.user('bob')
    const moderator = await app.token(['moderation:write', 'webhook:write'], { user: ada })
    const keys: (string | null)[] = []
    const wire: typeof fetch = (input, init) => {
      keys.push(new Headers(init?.headers).get('idempotency-key'))
      return fetch(input, init)
    }
    const api = new DeveloperApi({ baseUrl: app.base, credential: moderator, fetch: wire })
    await api.moderation.ban({ user_id: bob.id }, { idempotencyKey: 'evt_2' })
    const hook = { url: 'https://example.com/hook', event_types: ['chat.message.sent' as const] }
    const created = await api.subscriptions.create(hook, { idempotencyKey: 'evt_3' })
    expect(await api.subscriptions.create(hook, { idempotencyKey: 'evt_3' })).toEqual(created)
    expect(keys).toEqual(['evt_2', 'evt_3', 'evt_3'])
  })

  test('when it was a deletion of which nobody knows, and has succeeded when nothing is there any more', async () => {
    const { id } = await through().api.chat.send({ room_name: 'ada', content: 'gone' })
    await through(answerLost).api.chat.delete(id)
    await expect(through().api.chat.delete(id)).rejects.toMatchObject({ status: 404 })
  })

  test('and each call has a key of its own', async () => {
    const { api, sent } = through()
    for (const content of ['one', 'two']) await api.chat.send({ room_name: 'ada', content })
    expect(new Set(sent.map(({ key }) => key)).size).toBe(2)
  })
})

describe('a call is given up', () => {
  test('after five tries', async () => {
    const { api, sent } = through(...Array.from({ length: 9 }, () => refusal(503, '0')))
    await expect(api.channels.get('ada')).rejects.toThrow(ServerError)
    expect(sent).toHaveLength(5)
  })

  test('at once when it would have to wait for longer than a minute', async () => {
    const { api, sent } = through(refusal(429, '61'))
    const error = await api.channels.get('ada').catch((failure: unknown) => failure)
    expect(error).toBeInstanceOf(RateLimitedError)
    expect(error).toMatchObject({ retryAfterS: 61, code: 'rate_limited' })
    expect(sent).toHaveLength(1)
  })

  test('when nobody answers', async () => {
    const api = new DeveloperApi({ baseUrl: app.base, fetch: () => Promise.reject(new TypeError('no')), tries: 2 })
    await expect(api.channels.get('ada')).rejects.toThrow(ConnectionError)
  })

  test('when another try cannot help', async () => {
    const { api, sent } = through()
    await expect(api.chat.send({ room_name: 'nobody', content: 'x' })).rejects.toMatchObject({ code: 'unknown_room' })
    expect(sent).toHaveLength(1)
  })
})
