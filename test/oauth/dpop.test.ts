import { eq } from 'drizzle-orm'
import { exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessTokens, authorizationCodes, clients, grants } from '../../src/db/schema/index.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { sha256 } from '../../src/domain/core/digest.ts'
import { createConsole } from '../cli/console.ts'
import type { TestClient } from '../support/context.ts'
import { CALLBACK, credentials, errorOf, type Fields, NATIVE_CALLBACK } from '../support/flows.ts'
import { createPeopleApp, type PeopleApp } from '../support/people.ts'
import { newKey, proofFor, TOKEN } from './dpop/proofs.ts'

const [key, stranger] = [await newKey(), await newKey()]

let app: PeopleApp
let server: TestClient
let native: TestClient
beforeAll(async () => {
  app = await createPeopleApp()
  server = await register(true, CALLBACK)
  native = await register(false, NATIVE_CALLBACK)
})
afterAll(() => app[Symbol.asyncDispose]())

async function register(confidential: boolean, uri: string): Promise<TestClient> {
  const operator = { ...app.context, principal: { kind: 'operator' } } as const
  const wanted = { name: 'It binds', confidential, redirect_uris: [uri], dpop_bound: true }
  const { id, client_secret, dpop_bound } = await createApplication(operator, wanted)
  expect(dpop_bound).toBe(true)
  return { id, secret: client_secret ?? undefined }
}

const now = () => Math.floor(Date.now() / 1000)
const proof = (route: string, { by = key, ...made }: Partial<Parameters<typeof proofFor>[2]> = {}) =>
  proofFor(app.base, route, { by, ...made })
const ME = 'GET /v1/users/me'

const ask = async (fields: Fields, dpop?: string) => app.token(fields, dpop === undefined ? {} : { dpop })
const ofServer = () => ({ grant_type: 'client_credentials', ...credentials(server) })
const use = (token: string, dpop?: string, scheme = 'DPoP', route = ME) =>
  app.request(route, { headers: { authorization: `${scheme} ${token}`, ...(dpop !== undefined && { dpop }) } })

async function grantTo(client: TestClient, by = key) {
  const { body } = await ask(await app.newCode(client), await proof(TOKEN, { by }))
  return body as { access_token: string; refresh_token: string; token_type: string }
}
const refresh = async (refresh_token: string, client: TestClient, by = key) =>
  ask({ grant_type: 'refresh_token', refresh_token, ...credentials(client) }, await proof(TOKEN, { by }))

describe('RFC 9449, section 5: at the token endpoint', () => {
  test('each grant binds its token to the key of the proof, and says so', async () => {
    const granted = await grantTo(server)
    const refreshed = await refresh(granted.refresh_token, server)
    const own = await ask(ofServer(), await proof(TOKEN))
    for (const { access_token, token_type } of [granted, refreshed.body, own.body]) {
      expect(token_type).toBe('DPoP')
      const isIt = eq(accessTokens.hash, sha256(access_token))
      const rows = await app.context.db.select({ jkt: accessTokens.dpopJkt }).from(accessTokens).where(isIt)
      expect(rows).toEqual([{ jkt: key.jkt }])
    }
  })

  test('a client that is not registered for it gets what the specification describes, proof or not', async () => {
    const { body } = await ask({ grant_type: 'client_credentials', ...credentials(app.client) }, await proof(TOKEN))
    expect(body.token_type).toBe('Bearer')
    const { access_token } = await app.newGrant()
    expect((await use(access_token, await proof(ME, { token: access_token }), 'Bearer')).status).toBe(200)
    expect(errorOf(await use(access_token, await proof(ME, { token: access_token })))).toBe('401 invalid_token')
  })

  test('without a proof, or with one for something else, nothing is issued and nothing is spent', async () => {
    const { refresh_token } = await grantTo(server)
    const code = await app.newCode(server)
    const again = { grant_type: 'refresh_token', refresh_token, ...credentials(server) }
    for (const fields of [ofServer(), code, again]) {
      for (const dpop of [undefined, 'x', await proof('POST /oauth/revoke'), await proof('GET /oauth/token')]) {
        expect(errorOf(await ask(fields, dpop))).toBe('400 invalid_dpop_proof')
      }
      expect((await ask(fields, await proof(TOKEN))).status).toBe(200)
    }
  })

  test('the refresh tokens of a public client are bound too; a confidential one may change its key', async () => {
    const { refresh_token } = await grantTo(native)
    expect(errorOf(await refresh(refresh_token, native, stranger))).toBe('400 invalid_grant')
    expect((await refresh(refresh_token, native)).status).toBe(200)

    const { refresh_token: other } = await grantTo(server)
    const { body } = await refresh(other, server, stranger)
    const spoken = await proof(ME, { by: stranger, token: body.access_token })
    expect((await use(body.access_token, spoken)).status).toBe(200)
  })
})

test('RFC 9449, section 10: a code that was asked for with a key is exchanged by that key alone', async () => {
  const browser = await app.loggedIn()
  const page = await browser.get(app.askPath(native, { dpop_jkt: key.jkt }))
  await browser.submit(page, '/oauth/authorize', { decision: 'allow' })
  const rows = await app.context.db.select().from(authorizationCodes).where(eq(authorizationCodes.clientId, native.id))
  expect(rows.filter(({ dpopJkt }) => dpopJkt === key.jkt)).toHaveLength(1)

  const [right, wrong] = [await app.newCode(native), await app.newCode(native)]
  await app.context.db.update(authorizationCodes).set({ dpopJkt: key.jkt })
  expect(errorOf(await ask(wrong, await proof(TOKEN, { by: stranger })))).toBe('400 invalid_grant')
  expect((await ask(right, await proof(TOKEN))).status).toBe(200)

  const { location } = await browser.get(app.askPath(native, { dpop_jkt: 'x' }))
  expect(location?.searchParams.get('error')).toBe('invalid_request')
})

describe('RFC 9449, section 7: with a bound token', () => {
  test('every request needs a fresh proof of its own', async () => {
    const { access_token: token } = await grantTo(server)
    const dpop = await proof(ME, { token })
    expect((await use(token, dpop)).status).toBe(200)
    expect(errorOf(await use(token, dpop))).toBe('401 invalid_token')
    expect((await use(token, await proof(ME, { token }), 'dpop')).status).toBe(200)
    const room = 'GET /v1/chat/messages'
    expect((await use(token, await proof(room, { token }), 'DPoP', `${room}?room_name=ada`)).status).toBe(200)
  })

  test('it is worth nothing without one, neither as a bearer token nor out of the cache', async () => {
    app.context.credentials.trust()
    const { access_token: token } = await grantTo(server)
    expect((await use(token, await proof(ME, { token }))).status).toBe(200)
    for (const scheme of ['Bearer', 'DPoP']) {
      const reply = await use(token, undefined, scheme)
      expect(errorOf(reply)).toBe('401 invalid_token')
      expect(reply.headers.get('www-authenticate')).toMatch(/^DPoP .*error="invalid_token".*algs="ES256 /)
    }
    expect(errorOf(await use(token, await proof(ME, { token }), 'Bearer'))).toBe('401 invalid_token')
    app.context.credentials.distrust()
  })

  test('of ten with one proof at once, one passes', async () => {
    const { access_token: token } = await grantTo(server)
    const dpop = await proof(ME, { token })
    const replies = await Promise.all(Array.from({ length: 10 }, () => use(token, dpop)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  const wrong: [string, object][] = [
    ['of another method', { htm: 'POST' }],
    ['of another address', { htu: 'https://elsewhere.example/v1/users/me' }],
    ['of no address', { htu: 'x' }],
    ['from before', { iat: now() - 90 }],
    ['from later', { iat: now() + 90 }],
    ['from no time', { iat: undefined }],
    ['from beyond time', { iat: 1e300 }],
    ['without an identifier', { jti: undefined }],
    ['for another token', { ath: sha256('x').toString('base64url') }],
    ['for no token', { ath: undefined }],
  ]
  test.each(wrong)('a proof %s is none', async (_what, claims) => {
    const { access_token: token } = await grantTo(server)
    expect(errorOf(await use(token, await proof(ME, { token, claims })))).toBe('401 invalid_token')
  })

  test('a proof of another key, kind, or of no signature is none', async () => {
    const { access_token: token } = await grantTo(server)
    const [head = '', body = ''] = (await proof(ME, { token })).split('.')
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    const dpops = [
      await proof(ME, { token, by: stranger }),
      await proof(ME, { token, header: { typ: 'JWT' } }),
      await proof(ME, { token, header: { jwk: stranger.jwk } }),
      await proof(ME, { token, by: { ...key, privateKey, jwk: await exportJWK(privateKey) } }),
      `${head}.${body}.`,
      `${Buffer.from('{"typ":"dpop+jwt","alg":"none"}').toString('base64url')}.${body}.`,
      `${await proof(ME, { token })}, ${await proof(ME, { token })}`,
    ]
    for (const dpop of dpops) expect(errorOf(await use(token, dpop))).toBe('401 invalid_token')
  })

  test('the calls of a batch at /trpc share a proof', async () => {
    const { access_token: token } = await grantTo(server)
    const path = '/trpc/users.me,users.me'
    const query = new URLSearchParams({ batch: '1', input: JSON.stringify({ 0: {}, 1: {} }) })
    const reply = await use(token, await proof(`GET ${path}`, { token }), 'DPoP', `GET ${path}?${query}`)
    expect(reply.body.map((one: object) => 'result' in one)).toEqual([true, true])
  })

  test('it dies like any other', async () => {
    const { access_token: token, refresh_token } = await grantTo(server)
    await app.revoke({ token: refresh_token, ...credentials(server) })
    expect(errorOf(await use(token, await proof(ME, { token })))).toBe('401 invalid_token')
  })
})

test('the command line registers for it, and otherwise not', async () => {
  const { answerOf } = createConsole(app.context)
  expect(await answerOf('client', 'create', '--name', 'Bound', '--dpop')).toMatchObject({ dpop_bound: true })
  expect(await answerOf('client', 'create', '--name', 'Plain')).toMatchObject({ dpop_bound: false })
})

test('what is registered is what is stored', async () => {
  const rows = await app.context.db.select().from(clients).where(eq(clients.id, native.id))
  expect(rows).toMatchObject([{ dpopBound: true, authMethod: 'none' }])
  const bound = await app.context.db.select().from(grants).where(eq(grants.clientId, server.id))
  expect(bound.every(({ dpopJkt }) => dpopJkt === null)).toBe(true)
})
