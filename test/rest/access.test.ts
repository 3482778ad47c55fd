import { afterAll, describe, expect, test } from 'vitest'
import { scopes } from '../../src/domain/core/scopes.ts'
import { routes } from '../../src/rest/openapi/routes.ts'
import { createTestApp } from '../support/app.ts'
import { specification } from '../support/specification.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())

const guarded = specification.filter(({ scopes: wanted }) => wanted.length > 0)

test('what the specification guards is guarded in the router, and nothing else is', () => {
  const declared = routes.flatMap(({ operation, access }) =>
    access?.kind === 'scopes' && !operation.isExtension ? [operation.route] : [],
  )
  expect(declared.toSorted()).toEqual(guarded.map(({ route }) => route).toSorted())
})

/** What is true of every operation that asks for a credential is tested over all of them. */
describe.each(guarded)('$route', ({ route, scopes: wanted, by }) => {
  const concrete = route.replace(/\{.+?\}/g, 'any_thing')
  const broken = route.startsWith('POST') ? { body: '{', headers: { 'content-type': 'application/xml' } } : {}
  const metadata = `resource_metadata="${app.base}/.well-known/oauth-protected-resource"`

  test('401 without a credential, before the body is looked at', async () => {
    const { status, body, headers } = await app.request(concrete, broken)
    expect([status, body.error.code]).toEqual([401, 'unauthorized'])
    expect(headers.get('www-authenticate')).toBe(`Bearer realm="api", ${metadata}, scope="${wanted.join(' ')}"`)
    for (const scope of wanted) expect(body.error.message).toContain(`"${scope}"`)
    expect(/token of a user/.test(body.error.message)).toBe(by === 'user')
  })

  test('401 with a credential that is none', async () => {
    const { status, body, headers } = await app.request(concrete, { ...broken, token: 'nobody' })
    expect([status, body.error.code]).toEqual([401, 'invalid_token'])
    expect(headers.get('www-authenticate')).toBe(`Bearer realm="api", ${metadata}, error="invalid_token"`)
  })

  test('403 without the scope, which is named, before the body is looked at', async () => {
    const token = await app.token(scopes.filter((scope) => !wanted.includes(scope)))
    const { status, body, headers } = await app.request(concrete, { ...broken, token })
    expect([status, body.error.code]).toEqual([403, 'insufficient_scope'])
    expect(headers.get('www-authenticate')).toContain(`error="insufficient_scope", scope="${wanted.join(' ')}"`)
    for (const scope of wanted) expect(body.error.message).toContain(scope)
    expect(headers.get('ratelimit-limit')).toBe('800')
  })

  test('each of its scopes alone lets an application pass, or says that a user is needed', async () => {
    for (const scope of wanted) {
      const { status, body } = await app.request(concrete, { token: await app.token([scope]) })
      if (by === 'user') expect([status, body.error.code]).toEqual([403, 'user_token_required'])
      else expect([200, 400, 404]).toContain(status)
    }
  })
})

test('a token in the address, in a cookie or by Basic is no credential', async () => {
  const token = await app.token(['channel:read'])
  expect((await app.request(`GET /v1/channels/?access_token=${token}`)).body.error.code).toBe('unauthorized')
  for (const headers of [{ cookie: `sid=${token}` }, { authorization: `Basic ${btoa(`${token}:`)}` }]) {
    expect((await app.request('GET /v1/channels/', { headers })).status).toBe(401)
  }
})
