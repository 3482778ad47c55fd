import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usedAssertions } from '../../src/db/schema/index.ts'
import { createApplication, updateApplication } from '../../src/domain/applications/applications.ts'
import { rotateSecret } from '../../src/domain/applications/client-secrets.ts'
import type { OwnerContext } from '../../src/domain/core/context.ts'
import { createConsole } from '../cli/console.ts'
import { allow, basic, CALLBACK, createOAuthApp, errorOf, type Fields, type OAuthApp } from '../support/flows.ts'

const pair = await generateKeyPair('ES256')
const stranger = await generateKeyPair('ES256')
const jwks = { keys: [await exportJWK(pair.publicKey)] }

let app: OAuthApp
let operator: OwnerContext
let id: string
beforeAll(async () => {
  app = await createOAuthApp()
  operator = { ...app.context, principal: { kind: 'operator' } }
  id = (await register()).id
})
afterAll(() => app[Symbol.asyncDispose]())

const register = (keys: unknown = jwks) =>
  createApplication(operator, { name: 'It signs', confidential: true, redirect_uris: [CALLBACK], jwks: keys })

const now = () => Math.floor(Date.now() / 1000)
let made = 0

/** What a client sends instead of a secret; whatever is given replaces what would be right, undefined leaves it out. */
async function assertion(
  claims: object = {},
  { key = pair.privateKey, header = {} as Partial<JWTHeaderParameters> } = {},
) {
  const right = { iss: id, sub: id, aud: app.base, iat: now(), exp: now() + 60, jti: `jti ${made++}` }
  const jwt = new SignJWT({ ...right, ...claims }).setProtectedHeader({ alg: 'ES256', ...header })
  return fieldsOf(await jwt.sign(key))
}
const fieldsOf = (signed: string): Fields => ({
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  client_assertion: signed,
})
const send = (fields: Fields, headers: Record<string, string> = {}) =>
  app.token({ grant_type: 'client_credentials', ...fields }, headers)

test('RFC 7523: a signature gets tokens of every grant, and revokes them', async () => {
  expect((await send(await assertion())).status).toBe(200)
  const code = await allow(app.context, { id, secret: '-' }, app.ada)
  const { body } = await app.token({ grant_type: 'authorization_code', ...code, ...(await assertion()) })
  expect(await app.statusOf(body.access_token)).toBe(200)
  const { refresh_token } = body
  const again = await app.token({ grant_type: 'refresh_token', refresh_token, client_id: id, ...(await assertion()) })
  expect(await app.statusOf(again.body.access_token)).toBe(200)
  expect((await app.revoke({ token: again.body.refresh_token, ...(await assertion()) })).text).toBe('{}')
  expect(await app.statusOf(again.body.access_token)).toBe(401)
})

test('a signature is for our issuer or this endpoint, and for nobody beside us', async () => {
  const metadata = await app.request('GET /.well-known/oauth-authorization-server')
  const names = ['token', 'revocation', 'introspection', 'device_authorization']
  const endpoints = names.map((name) => metadata.body[`${name}_endpoint`] as string)
  expect(endpoints).toContain(`${app.base}/oauth/token?error_format=rfc6749`)
  const ours = [app.base, [app.base], ...endpoints, ...endpoints.map((url) => url.split('?')[0])]
  for (const aud of ours) expect((await send(await assertion({ aud }))).status, String(aud)).toBe(200)
  for (const aud of ['https://elsewhere.example', `${app.base}/`, [app.base, 'https://elsewhere.example'], [], 1]) {
    expect(errorOf(await send(await assertion({ aud }))), String(aud)).toBe('401 invalid_client')
  }
})

test('a signature works once, at any process, and is remembered until it would have expired', async () => {
  const signed = await assertion()
  const tries = await Promise.all(Array.from({ length: 10 }, () => send(signed)))
  expect(tries.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(errorOf(await send(signed))).toBe('401 invalid_client')
  const late = await app.context.db.select().from(usedAssertions)
  expect(late.every(({ expiresAt }) => expiresAt.getTime() > Date.now())).toBe(true)
})

describe('a signature is refused', () => {
  const wrong: [string, object][] = [
    ['that lives for longer than a minute', { exp: now() + 200 }],
    ['that never expires', { exp: undefined }],
    ['that has expired', { exp: now() - 60 }],
    ['that is not valid yet', { nbf: now() + 300 }],
    ['without an identifier', { jti: undefined }],
    ['with an empty identifier', { jti: '' }],
    ['of another issuer', { iss: 'cli_elsewhere' }],
    ['without an issuer', { iss: undefined }],
    ['for another client', { sub: 'cli_elsewhere' }],
    ['for nobody', { aud: undefined }],
  ]
  test.each(wrong)('%s', async (_what, claims) => {
    expect(errorOf(await send({ client_id: id, ...(await assertion(claims)) }))).toBe('401 invalid_client')
  })

  test('by a key that is not registered, of another kind, or of nobody', async () => {
    const unsigned = [{ alg: 'none' }, { iss: id, sub: id, aud: app.base, exp: now() + 60, jti: 'none' }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const symmetric = await new SignJWT({ iss: id, sub: id, aud: app.base, exp: now() + 60, jti: 'symmetric' })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(JSON.stringify(jwks)))
    const forged = await assertion({}, { key: stranger.privateKey })
    for (const fields of [forged, fieldsOf(`${unsigned}.`), fieldsOf(symmetric), fieldsOf('x.y.z'), fieldsOf('é')]) {
      expect(errorOf(await send({ client_id: id, ...fields }))).toBe('401 invalid_client')
    }
  })

  test('that was made for something else', async () => {
    for (const typ of ['at+jwt', 'dpop+jwt', 'application/logout+jwt']) {
      expect(errorOf(await send(await assertion({}, { header: { typ } }))), typ).toBe('401 invalid_client')
    }
    for (const typ of ['JWT', 'client-authentication+jwt', 'application/client-authentication+jwt']) {
      expect((await send(await assertion({}, { header: { typ } }))).status, typ).toBe(200)
    }
  })

  test('of one client in the name of another, or with no client of that method', async () => {
    const other = await register({ keys: [await exportJWK(stranger.publicKey)] })
    expect(errorOf(await send({ client_id: other.id, ...(await assertion()) }))).toBe('401 invalid_client')
    for (const { id: victim } of [app.client, app.native]) {
      const fields = await assertion({ iss: victim, sub: victim })
      expect(errorOf(await send({ client_id: victim, ...fields }))).toBe('401 invalid_client')
    }
  })
})

test('C04 a signature and a secret are two methods; half of a signature is none', async () => {
  const signed = await assertion()
  expect(errorOf(await send({ ...signed, client_secret: 'x' }))).toBe('400 invalid_request')
  expect(errorOf(await send(signed, { authorization: basic(id, 'x') }))).toBe('400 invalid_request')
  const { client_assertion_type: type = '', client_assertion: value = '' } = signed
  expect(errorOf(await send({ client_assertion_type: type }))).toBe('400 invalid_request')
  expect(errorOf(await send({ client_assertion: value }))).toBe('400 invalid_request')
  expect(errorOf(await send({ client_assertion: value, client_assertion_type: 'x' }))).toBe('400 invalid_request')
  expect((await send(signed)).status).toBe(200)
})

test('C10 C19 a client that signs is nobody without its signature, and a failed one leaves its code alone', async () => {
  const code = { grant_type: 'authorization_code', ...(await allow(app.context, { id, secret: '-' }, app.ada)) }
  expect(errorOf(await app.token({ ...code, client_id: id }))).toBe('401 invalid_client')
  expect(errorOf(await app.token({ ...code, ...(await assertion({ aud: 'x' })) }))).toBe('401 invalid_client')
  expect((await app.token({ ...code, ...(await assertion()) })).status).toBe(200)
})

test('T14 a signature does not belong in an address', async () => {
  const { client_assertion = '' } = await assertion()
  const reply = await app.request(`POST /oauth/token?client_assertion=${client_assertion}`, { body: {} })
  expect(errorOf(reply)).toBe('400 invalid_request')
})

describe('registration', () => {
  test('gives no secret, shows the keys, and lets them be replaced', async () => {
    const { id: own, client_secret, jwks: shown } = await register()
    expect([client_secret, shown]).toEqual([null, jwks])
    await expect(rotateSecret(operator, { id: own })).rejects.toMatchObject({ code: 'invalid_request' })
    await updateApplication(operator, { id: own, jwks: { keys: [await exportJWK(stranger.publicKey)] } })
    const claims = { iss: own, sub: own }
    expect(errorOf(await send(await assertion(claims)))).toBe('401 invalid_client')
    expect((await send(await assertion(claims, { key: stranger.privateKey }))).status).toBe(200)
  })

  test('keeps a method for good, and public applications have no key', async () => {
    const change = updateApplication(operator, { id: app.client.id, jwks })
    await expect(change).rejects.toMatchObject({ code: 'invalid_request' })
    const native = { name: 'Native', confidential: false, redirect_uris: ['com.example.app:/cb'], jwks }
    await expect(createApplication(operator, native)).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('takes no private key, and says so', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    const secret = await exportJWK(privateKey)
    for (const keys of [{ keys: [secret] }, secret, { keys: [{ kty: 'oct', k: 'AAAA' }] }]) {
      await expect(register(keys)).rejects.toThrow(/private/)
    }
  })

  test('takes only keys that can be used, and several only with names', async () => {
    const [key] = jwks.keys
    const weak = { kty: 'RSA', n: Buffer.alloc(128, 255).toString('base64url'), e: 'AQAB' }
    const sets = [[], [weak], [{ ...key, x: 'AAAA' }], [{ ...key, use: 'enc' }], [{ ...key, alg: 'HS256' }], [key, key]]
    for (const keys of [...sets.map((keys) => ({ keys })), null, {}, [key], 'x', { keys: [{ ...key, kid: '\0' }] }]) {
      await expect(register(keys), JSON.stringify(keys)).rejects.toMatchObject({ code: 'invalid_request' })
    }
    const named = [key, await exportJWK(stranger.publicKey)].map((one, i) => ({ ...one, kid: `key ${i}` }))
    const { id: own } = await register({ keys: named })
    const claims = { iss: own, sub: own }
    expect((await send(await assertion(claims, { header: { kid: 'key 0' } }))).status).toBe(200)
  })

  test('at the command line takes a file, and refuses what it refuses elsewhere', async () => {
    const { run, answerOf } = createConsole(app.context)
    const directory = await mkdtemp(join(tmpdir(), 'jwks-'))
    const file = join(directory, 'public.json')
    const create = (...args: string[]) => ['client', 'create', '--name', 'A bank', '--jwks', file, ...args]

    await writeFile(file, JSON.stringify(jwks))
    const { client_id: own, client_secret } = await answerOf(...create())
    expect(client_secret).toBeNull()
    expect((await send(await assertion({ iss: own, sub: own }))).status).toBe(200)
    expect(await run(create('--public'))).toMatchObject({ status: 1, stdout: '' })

    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    await writeFile(file, JSON.stringify({ keys: [await exportJWK(privateKey)] }))
    expect((await run(create())).stderr).toContain('private')
    await writeFile(file, '{')
    expect((await run(create())).stderr).toContain('JSON')
    await rm(directory, { recursive: true })
  })
})
