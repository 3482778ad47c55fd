import { eq, isNull } from 'drizzle-orm'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signingKeys } from '../../../src/db/schema/index.ts'
import { sha256 } from '../../../src/domain/core/digest.ts'
import { Keyring } from '../../../src/domain/core/keyring.ts'
import {
  currentSigningKey,
  prepareSigningKey,
  reSealSigningKey,
  rotateSigningKey,
} from '../../../src/domain/oauth/openid/signing-keys.ts'
import type { TestClient } from '../../support/context.ts'
import { credentials, errorOf, pkce } from '../../support/flows.ts'
import { createPeopleApp, type PeopleApp, parametersOf } from '../../support/people.ts'

let app: PeopleApp
beforeAll(async () => {
  app = await createPeopleApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** The whole flow of somebody who has just logged in. */
async function logInWithUs(client: TestClient, more: Record<string, string> = {}) {
  const { verifier, challenge } = pkce()
  const browser = await app.loggedIn()
  const path = app.askPath(client, { scope: 'openid profile', code_challenge: challenge, ...more })
  const page = await browser.get(path)
  const back = page.location ? page : await browser.submit(page, '/oauth/authorize', { decision: 'allow' })
  const { code = '' } = parametersOf(back)
  const { body } = await app.token({
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    ...credentials(client),
  })
  return body as { access_token: string; refresh_token: string; id_token: string; scope: string }
}

const verify = (idToken: string, audience: string) =>
  jwtVerify(idToken, createRemoteJWKSet(new URL(`${app.base}/oauth/jwks`)), { issuer: app.base, audience })

test('O01 the code grant gives an ID token about this login, for this client, signed by a published key', async () => {
  const nonce = 'n-0S6_WzA2Mj é "+/'
  const { access_token, id_token } = await logInWithUs(app.client, { nonce })
  const { payload, protectedHeader } = await verify(id_token, app.client.id)
  expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'JWT', kid: expect.any(String) })
  const { iat = 0, exp, auth_time, ...rest } = payload
  expect(rest).toEqual({
    iss: app.base,
    sub: app.grace.id,
    aud: app.client.id,
    nonce,
    amr: ['pwd'],
    at_hash: sha256(access_token).subarray(0, 16).toString('base64url'),
  })
  expect(exp).toBe(iat + 3600)
  expect(Number(auth_time)).toBeLessThanOrEqual(iat)
  expect(Number(auth_time)).toBeGreaterThan(iat - 60)
})

test('O02 a refresh gives another one of the same login, without nonce; one that leaves openid out gives none', async () => {
  const first = await logInWithUs(app.client, { nonce: 'n' })
  const { body: second } = await app.refresh(first.refresh_token)
  const [before, after] = [decodeJwt(first.id_token), (await verify(second.id_token, app.client.id)).payload]
  expect([after.sub, after.auth_time, after.nonce]).toEqual([before.sub, before.auth_time, undefined])
  expect(after.at_hash).not.toBe(before.at_hash)
  const { body: narrow } = await app.refresh(second.refresh_token, app.client, { scope: 'profile' })
  expect(narrow.id_token).toBeUndefined()
})

test('O03 without openid there is no ID token, and nonce changes nothing', async () => {
  const { id_token, scope } = await logInWithUs(app.client, { scope: 'user:read', nonce: 'n' })
  expect([id_token, scope]).toEqual([undefined, 'user:read'])
})

test('O10 what is asked for by claims, well-formed or not, or in another language or form, is ignored', async () => {
  const wishes = { acr_values: 'mfa', display: 'popup', ui_locales: 'fr', id_token_hint: 'x' }
  for (const claims of ['{"id_token":{"email":{"essential":true}}}', '{']) {
    const { id_token } = await logInWithUs(app.client, { claims, ...wishes, scope: 'openid' })
    const { payload } = await verify(id_token, app.client.id)
    expect(Object.keys(payload).toSorted()).toEqual(['amr', 'at_hash', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'sub'])
  }
})

test('S07 who a person is has to be asked for by name, and no application is a person', async () => {
  const { scope } = (await app.forApplication()).body
  expect(scope.split(' ')).not.toContain('openid')
  for (const wanted of ['openid', 'channel:read email'])
    expect(errorOf(await app.forApplication(app.client, { scope: wanted }))).toBe('400 invalid_scope')
  const browser = await app.loggedIn()
  const page = await browser.get(app.askPath(app.native, { scope: undefined }))
  expect(page.text).not.toContain('See your email address')
})

test('O04 of the keys only the public half is shown', async () => {
  const { status, body, headers } = await app.request('GET /oauth/jwks')
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
  for (const key of body.keys) {
    expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    expect(key).toMatchObject({ alg: 'ES256', crv: 'P-256', kty: 'EC', use: 'sig' })
  }
})

test('O05 after a rotation the new key signs, and what the old one signed is verified for a day', async () => {
  const { id_token: old } = await logInWithUs(app.client)
  const kid = await rotateSigningKey(app.context)
  const { id_token: young } = await logInWithUs(app.client)
  expect(decodeProtectedHeader(young).kid).toBe(kid)
  for (const token of [old, young]) expect((await verify(token, app.client.id)).payload.sub).toBe(app.grace.id)
  await app.elapse(signingKeys, 'retiredAt', 86_400_000)
  expect((await app.request('GET /oauth/jwks')).body.keys.map((key: { kid: string }) => key.kid)).toEqual([kid])
  await expect(verify(old, app.client.id)).rejects.toThrow()
})

test('O05 rotations at once leave one key that signs', async () => {
  await Promise.all(Array.from({ length: 5 }, () => rotateSigningKey(app.context)))
  const current = await app.context.db.select().from(signingKeys).where(isNull(signingKeys.retiredAt))
  expect(current).toHaveLength(1)
  await expect(currentSigningKey(app.context)).resolves.toMatchObject({ kid: current[0]?.id })
})

test('O06 the private key is sealed, sealed anew when SECRET_KEYS change, and replaced when it cannot be opened', async () => {
  const { kid } = await currentSigningKey(app.context)
  const [row] = await app.context.db.select().from(signingKeys).where(eq(signingKeys.id, kid))
  expect(row?.privateCiphertext.toString()).not.toContain('"d"')
  const [old, young] = ['old secret key of thirty-two chars!', 'new secret key of thirty-two chars!']
  await using other = await createPeopleApp({ keyring: new Keyring([old]) })
  const first = await currentSigningKey(other.context)
  await reSealSigningKey({ ...other.context, keyring: new Keyring([young, old]) })
  const later = { ...other.context, keyring: new Keyring([young]) }
  expect((await currentSigningKey(later)).kid).toBe(first.kid)
  const lost = { ...other.context, keyring: new Keyring(['another secret key of 32 chars or so']) }
  await prepareSigningKey(lost)
  expect((await currentSigningKey(lost)).kid).not.toBe(first.kid)
})

test('O07 an ID token is no credential, and nothing that somebody else signs is one of ours', async () => {
  const { id_token } = await logInWithUs(app.client)
  expect(await app.statusOf(id_token)).toBe(401)
  const [, payload] = id_token.split('.')
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`
  await expect(verify(none, app.client.id)).rejects.toThrow()
  const forged = await new SignJWT(decodeJwt(id_token))
    .setProtectedHeader({ alg: 'HS256', kid: String(decodeProtectedHeader(id_token).kid) })
    .sign(Buffer.from(JSON.stringify((await app.request('GET /oauth/jwks')).body.keys[0])))
  await expect(verify(forged, app.client.id)).rejects.toThrow()
  await expect(verify(id_token, app.other.id)).rejects.toThrow('aud')
})
