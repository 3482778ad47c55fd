import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, expectTypeOf, test } from 'vitest'
import { generateTypes, wholeDocument } from '../../sdk/typescript/generate.ts'
import {
  ApiError,
  type Channel,
  DeveloperApi,
  ForbiddenError,
  Login,
  NotFoundError,
  type Pages,
  UnauthorizedError,
} from '../../sdk/typescript/src/index.ts'
import { categories } from '../../src/db/schema/index.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { createTestApp } from '../support/app.ts'
import { temporaryFolder } from '../support/folder.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const ada = await app.user('ada')
const bob = await app.user('bob')
const token = await app.token(scopes, { user: ada })

/** What was called, as `METHOD /path/{parameter}` of the document. */
const called = new Set<string>()
const patterns = Object.keys(wholeDocument().paths ?? {}).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))
const listening: typeof fetch = (input, init) => {
  const { pathname } = new URL(String(input))
  const path = patterns.find((one) => one.path === pathname) ?? patterns.find(({ pattern }) => pattern.test(pathname))
  called.add(`${init?.method} ${path?.path}`)
  return fetch(input, init)
}
const api = new DeveloperApi({ baseUrl: app.base, credential: token, fetch: listening })

test('every operation of the document can be called, but those that are the operator’s', async () => {
  const client = await app.client()
  const category = newId('category', app.context.now())
  await app.context.db.insert(categories).values({ id: category, slug: 'software', label: 'Software' })
  const stream = await app.request('POST /trpc/livestreams.start', { token, body: {} })

  await api.users.me()
  expect((await api.channels.get('ada')).is_live).toBe(true)
  expect((await api.categories.get(category)).slug).toBe('software')
  expect((await api.livestreams.get(stream.body.result.data.id)).channel?.id).toBe(ada.id)
  const said = await api.chat.send({ room_name: 'ada', content: 'x' })
  const lists: Pages<{ id: string }>[] = [
    api.channels.list(),
    api.categories.list(),
    api.livestreams.list(),
    api.chat.list({ room_name: 'ada' }),
    api.moderation.list(),
    api.subscriptions.list(),
  ]
  for (const list of lists) await list.page()
  await api.chat.delete(said.id)
  expect((await api.moderation.ban({ user_id: bob.id })).blocked_user?.id).toBe(bob.id)
  const hook = { url: 'https://example.com/hook', event_types: ['chat.message.sent' as const] }
  const subscription = await api.subscriptions.create(hook)
  expect(subscription.signing_secret).toMatch(/^whsec_/)
  await api.subscriptions.delete(subscription.id)
  const { events } = await api.events.read({ types: ['chat.message.sent'], since: '2026-01-02T00:00:00Z' })
  expect(events.map(({ data }) => data.content)).toEqual(['x'])
  expect([await api.health.live(), await api.health.ready(), await api.health.metadata()]).toHaveLength(3)
  const login = new Login({ baseUrl: app.base, clientId: client.id, clientSecret: client.secret, fetch: listening })
  await login.revoke('nothing')
  expect(await login.introspect('nothing')).toEqual({ active: false })
  const stop = new AbortController()
  const device = login.withDevice({ scopes: ['user:read'], onCode: () => stop.abort(), signal: stop.signal })
  await expect(device).rejects.toThrow('aborted')
  const openid = new DeveloperApi({
    baseUrl: app.base,
    credential: await app.token(['openid'], { user: ada }),
    fetch: listening,
  })
  expect((await openid.users.claims()).sub).toBe(ada.id)
  const application = { clientId: client.id, clientSecret: client.secret ?? '', scope: 'channel:read' }
  const own = new DeveloperApi({ baseUrl: app.base, application, fetch: listening })
  expect(await own.channels.list().page()).toMatchObject({ items: [{ username: 'ada' }, { username: 'bob' }] })

  const documented = Object.entries(wholeDocument().paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { tags?: string[] }>)
      .filter(([, { tags }]) => !tags?.includes('Internal'))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
  /** Another form of a call, and what libraries of OpenID Connect read. */
  const others = ['POST /oauth/userinfo', 'GET /oauth/jwks']
  expect(documented.filter((operation) => !called.has(operation))).toEqual(others)
})

test('the SDK for Python asks every resource of the document, too', () => {
  const source = readFileSync('sdk/python/developer_api/aio.py', 'utf8')
  const resources = Object.keys(wholeDocument().paths ?? {}).filter((path) => /^\/(v1|health)\//.test(path))
  expect(resources.length).toBeGreaterThan(10)
  const asked = (path: string) =>
    source.includes(`"${path}"`) || source.includes(`"${path.replace(/\{\w+\}$/, '{quote(')}`)
  expect(resources.filter((path) => !asked(path))).toEqual([])
})

test('lists are walked over their pages', async () => {
  const names: string[] = []
  for await (const { username } of api.channels.list({ limit: 1 })) names.push(username)
  expect(names).toEqual(['ada', 'bob'])
  const first = await api.channels.list({ limit: 1 }).page()
  expect(first.next).toBeDefined()
  expect(await api.channels.list({ limit: 1 }).page(first.next)).toEqual({
    items: [expect.anything()],
    next: undefined,
  })
  expectTypeOf(first.items).toEqualTypeOf<Channel[]>()
})

test('errors have a class, a code, a status and the number of the request', async () => {
  const refusals = await Promise.all([
    api.channels.get('nobody').catch((error: unknown) => error),
    new DeveloperApi({ baseUrl: app.base }).channels
      .list()
      .page()
      .catch((error: unknown) => error),
    new DeveloperApi({ baseUrl: app.base, credential: await app.token(['chat:read']) }).users
      .me()
      .catch((error: unknown) => error),
  ])
  const shown = refusals.map((error) => error instanceof ApiError && [error.constructor, error.status, error.code])
  expect(shown).toEqual([
    [NotFoundError, 404, 'channel_not_found'],
    [UnauthorizedError, 401, 'unauthorized'],
    [ForbiddenError, 403, 'insufficient_scope'],
  ])
  for (const error of refusals) expect(error).toMatchObject({ requestId: expect.stringMatching(/^\S{8,}$/) })
})

test('the types are those of the document; else run npm run generate:sdk', async () => {
  using folder = temporaryFolder()
  const kept = 'sdk/typescript/src/generated'
  await generateTypes(folder.path)
  const read = (path: string) => readFileSync(join(path, 'types.gen.ts'), 'utf8')
  expect(read(folder.path)).toBe(read(kept))
})
