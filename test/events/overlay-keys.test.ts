import { afterAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { overlayKeys } from '../../src/db/schema/index.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import { disableUser, enableUser } from '../../src/domain/accounts/suspension.ts'
import { deleteMessage, sendMessage } from '../../src/domain/chat.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { createOverlay, listOverlays, revokeOverlay, rollOverlay } from '../../src/domain/overlays.ts'
import { routes } from '../../src/rest/openapi/routes.ts'
import { appRouter } from '../../src/routers/index.ts'
import type { OperationMeta } from '../../src/routers/operation-meta.ts'
import { createLiveApp } from '../support/app.ts'
import { readSse } from './support/sse.ts'

const app = await createLiveApp()
afterAll(() => app[Symbol.asyncDispose]())
const users = { ada: await app.user('ada'), bob: await app.user('bob') }
const as = ({ id: userId, username }: typeof users.ada): UserContext => ({
  ...app.context,
  principal: { kind: 'user', userId, username, clientId: null, scopes },
})
const [ada, bob] = [as(users.ada), as(users.bob)]
const say = (content: string, room_name = 'ada') => sendMessage(bob, { room_name, content })
const overlay = (owner = ada, event_types = ['chat.message.sent', 'livestream.started']) =>
  createOverlay(owner, { name: 'Overlay', event_types })

type Sent = { key?: string; token?: string; headers?: Record<string, string> }
const read = (query: Record<string, string>, { key, token, headers }: Sent = {}) =>
  app.request(`GET /v1/events?${new URLSearchParams({ ...query, ...(key && { key }) })}`, {
    token,
    ...(headers && { headers }),
  })
const answered = async (query: Record<string, string>, sent: Sent) => {
  const { status, body } = await read(query, sent)
  return [status, body.error?.code]
}
const nextOf = ({ headers }: { headers: Headers }) => /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? ''
const contents = ({ body }: { body: { data: { data: { content: string } }[] } }) =>
  body.data.map(({ data }) => data.content)

describe('an overlay key', () => {
  test('reads its types of its channel, in the address or as a bearer, from any website', async () => {
    const { key } = await overlay()
    const headers = { origin: 'https://overlay.example' }
    const begun = await read({}, { key, headers })
    expect(begun.headers.get('access-control-allow-origin')).toBe('*')
    expect(begun.headers.get('referrer-policy')).toBe('no-referrer')
    expect(begun.headers.get('ratelimit-limit')).toBe('800')
    const { id } = await say('for overlays')
    await say('elsewhere', 'bob')
    await deleteMessage(ada, id)
    const inAddress = await app.request(`GET ${nextOf(begun)}`, { headers })
    const after = new URLSearchParams(nextOf(begun).split('?')[1]).get('after') ?? ''
    const asBearer = await read({ after, channel: 'ADA' }, { token: key })
    expect([contents(inAddress), contents(asBearer)]).toEqual([['for overlays'], ['for overlays']])
    expect((await app.request(`HEAD /v1/events?key=${key}`)).status).toBe(200)
  })

  test('reads no other type and no other channel', async () => {
    const { key } = await overlay()
    for (const accept of ['application/json', 'text/event-stream']) {
      const sent = { key, headers: { accept } }
      for (const types of ['chat.message.deleted', 'moderation.ban.created', 'chat.message.sent,channel.updated']) {
        expect(await answered({ types }, sent), types).toEqual([403, 'forbidden'])
      }
      expect(await answered({ types: 'nope' }, sent)).toEqual([400, 'unknown_event_type'])
      for (const channel of ['bob', users.bob.id, 'nobody']) {
        expect(await answered({ channel }, sent), channel).toEqual([403, 'forbidden'])
      }
    }
  })

  test('is one credential, given once, and the only one that an address may hold', async () => {
    const { key } = await overlay()
    const { key: other } = await overlay()
    expect((await app.request(`GET /v1/events?key=${key}&key=${key}`)).body.error).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('key'),
    })
    expect(await answered({}, { key, token: other })).toEqual([400, 'invalid_request'])
    const user = await app.token(scopes, { user: users.ada })
    for (const wrong of [user, await app.token(scopes), mint('key'), mint('overlay'), 'x', `${key}x`, key.slice(1)]) {
      expect(await answered({}, { key: wrong })).toEqual([401, 'invalid_token'])
    }
    for (const authorization of [`DPoP ${key}`, `Basic ${key}`]) {
      expect(await answered({}, { headers: { authorization } })).toEqual([401, 'invalid_token'])
    }
  })

  test('is quoted by no refusal', async () => {
    const { key } = await overlay()
    const replies = [
      await read({ types: 'nope' }, { key }),
      await read({ after: 'x' }, { key }),
      await read({ limit: '0' }, { key }),
      await read({}, { key: `${key}x` }),
      await app.request(`GET /v1/channels/?key=${key}`),
      await app.request(`DELETE /v1/events?key=${key}`),
      await app.request(`GET /overlay/nothing?key=${key}`),
    ]
    for (const { status, text, headers } of replies) {
      expect(status).toBeGreaterThanOrEqual(400)
      expect(text + JSON.stringify([...headers])).not.toContain(key)
    }
  })

  test('says when it was used last, to the minute', async () => {
    const dan = as(await app.user('dan'))
    const { key } = await overlay(dan)
    const lastUsed = async () => (await listOverlays(dan))[0]?.last_used_at ?? ''
    expect(await lastUsed()).toBe('')
    await read({}, { key })
    const first = await lastUsed()
    expect(first).toMatch(/Z$/)
    await read({}, { key })
    expect(await lastUsed()).toBe(first)
    await app.elapse(overlayKeys, 'lastUsedAt', 60_001)
    const earlier = await lastUsed()
    await read({}, { key })
    expect(Date.parse(await lastUsed()) - Date.parse(earlier)).toBeGreaterThan(60_000)
  })
})

describe('an overlay key opens nothing but the feed', async () => {
  type Procedure = { _def: { type: string; meta?: OperationMeta } }
  const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>)
  const calls = procedures.filter(([, { _def }]) => _def.meta?.access).map(([name, { _def }]) => ({ name, ..._def }))
  const guarded = routes.filter(({ access, operation }) => access && operation.envelope !== 'feed')

  /** Remembered, as after it was used for what it is good for: `trust` makes the process remember. */
  const used = async () => {
    const { key } = await overlay()
    app.context.credentials.trust()
    expect((await read({}, { key })).status).toBe(200)
    return key
  }

  test('among the operations', async () => {
    const key = await used()
    expect(guarded.length).toBeGreaterThan(10)
    for (const { operation } of guarded.filter(({ access }) => access?.kind !== 'cron')) {
      const route = operation.route.replace(/\{.+?\}/g, 'any_thing')
      const asBearer = await app.request(route, { token: key })
      expect([route, asBearer.status, asBearer.body.error.code]).toEqual([route, 401, 'invalid_token'])
      const inAddress = await app.request(`${route}?key=${key}`)
      expect([route, inAddress.body.error.code]).toEqual([route, 'unauthorized'])
    }
    app.context.credentials.distrust()
  })

  test('among the procedures, those of the feed included', async () => {
    const key = await used()
    expect(calls.map(({ name }) => name)).toEqual(expect.arrayContaining(['events.read', 'events.follow']))
    for (const { name, type } of calls) {
      const isRead = type !== 'mutation'
      const reply = await app.request(`${isRead ? 'GET' : 'POST'} /trpc/${name}`, {
        token: key,
        ...(!isRead && { body: {} }),
      })
      expect([name, reply.text.includes('"code":"invalid_token"')]).toEqual([name, true])
    }
    app.context.credentials.distrust()
  })
})

test('a key that is none costs no statement, and one that was never made costs one', async () => {
  using asked = statementsOf(app.context.db)
  for (const key of ['x', `${mint('overlay')}x`, mint('access')]) await read({}, { key })
  for (const token of [`lsok_${'x'.repeat(49)}`, 'lsok_']) await read({}, { token })
  expect(asked.texts).toEqual([])
  await read({}, { key: mint('overlay') })
  expect(asked.texts).toEqual([expect.stringContaining('overlay_keys')])
})

/** What is asked of a database from now on, until it is disposed of. */
function statementsOf(db: Database) {
  const session = db._.session as unknown as { client: { unsafe: (text: string, ...rest: unknown[]) => unknown } }
  const { client } = session
  const texts: string[] = []
  const unsafe = (text: string, ...rest: unknown[]) => {
    texts.push(text)
    return client.unsafe(text, ...rest)
  }
  session.client = new Proxy(client, {
    get: (target, name) => (name === 'unsafe' ? unsafe : Reflect.get(target, name)),
  })
  return {
    texts,
    [Symbol.dispose]: () => {
      session.client = client
    },
  }
}

describe('a stream and a wait', () => {
  test.each<[string, (key: { id: string }) => Promise<unknown>]>([
    ['is revoked', (key) => revokeOverlay(ada, key)],
    ['is rolled', (key) => rollOverlay(ada, key)],
    ['stands for a channel that is closed', () => disableUser(app.context, 'ada')],
  ])('end within a second when their key %s, and it opens nothing any more', async (_how, end) => {
    app.context.credentials.trust()
    const { id, key } = await overlay()
    using inAddress = await readSse(`${app.base}/v1/events?key=${key}`, {})
    using asBearer = await readSse(`${app.base}/v1/events`, { authorization: `Bearer ${key}` })
    await Promise.all([inAddress.take(1), asBearer.take(1)])
    const waiting = read({ wait: '20', types: 'livestream.started' }, { key })
    await say('heard')
    await Promise.all([inAddress.take(1), asBearer.take(1)])
    const begun = performance.now()
    await end({ id })
    for (const live of [inAddress, asBearer]) {
      const [{ event, data }] = await live.take(1)
      expect([event, JSON.parse(data ?? '').reason]).toEqual(['end', 'revoked'])
    }
    expect(performance.now() - begun).toBeLessThan(2_000)
    expect((await waiting).body.error.code).toBe('invalid_token')
    expect(await answered({}, { key })).toEqual([401, 'invalid_token'])
    await enableUser(app.context, 'ada').catch(() => {})
    app.context.credentials.distrust()
  })

  test('count together over all keys of a channel, beside what its owner has open', async () => {
    const eve = await app.user('eve')
    const keys = [await overlay(as(eve)), await overlay(as(eve))].map(({ key }) => key)
    const open = await Promise.all(
      Array.from({ length: 20 }, (_, n) => readSse(`${app.base}/v1/events?key=${keys[n % 2]}`, {})),
    )
    expect(open.map(({ response }) => response.status)).toEqual(Array(20).fill(200))
    expect(await answered({ wait: '5' }, { key: keys[0] ?? '' })).toEqual([429, 'rate_limited'])
    expect((await read({}, { key: keys[0] ?? '' })).status).toBe(200)
    const authorization = `Bearer ${await app.token(['chat:read'], { user: eve })}`
    using own = await readSse(`${app.base}/v1/events`, { authorization })
    expect(own.response.status).toBe(200)
    for (const one of open) one[Symbol.dispose]()
  })
})
