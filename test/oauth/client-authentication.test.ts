import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientSecrets, clients } from '../../src/db/schema/index.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import { rotateSecret } from '../../src/domain/applications/client-secrets.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { grantParameters } from '../../src/domain/oauth/grants-table.ts'
import { grantTypes } from '../../src/shared/grants.ts'
import { basic, createOAuthApp, credentials, errorOf, type Fields, type OAuthApp } from '../support/flows.ts'

let app: OAuthApp
let id: string
let secret: string
beforeAll(async () => {
  app = await createOAuthApp()
  id = app.client.id
  secret = app.client.secret ?? ''
})
afterAll(() => app[Symbol.asyncDispose]())

const grant = { grant_type: 'client_credentials' }
const withHeader = (authorization: string, more: Fields = {}) => app.token({ ...grant, ...more }, { authorization })
const challengeOf = ({ headers }: { headers: Headers }) => headers.get('www-authenticate')?.split(' ')[0]

test('C01 C03 the secret in the body, or by Basic in any case of the word', async () => {
  expect((await app.forApplication()).status).toBe(200)
  for (const word of ['Basic', 'basic', 'BASIC', 'bAsIc']) {
    expect((await withHeader(basic(id, secret).replace('Basic', word))).status).toBe(200)
  }
})

test('C02 both parts of Basic are form-encoded; what does not decode is taken as it is', async () => {
  const encoded = [id, secret].map((part) => part.replaceAll('_', '%5F')).join(':')
  expect((await withHeader(`Basic ${btoa(encoded)}`)).status).toBe(200)
  expect(errorOf(await withHeader(basic(id, `${secret}%`)))).toBe('401 invalid_client')
})

test('C04 Basic and a secret in the body are two methods', async () => {
  expect(errorOf(await withHeader(basic(id, secret), { client_secret: secret }))).toBe('400 invalid_request')
})

test('C05 Basic for one client and the identifier of another is nobody (CVE-2026-118669)', async () => {
  expect(errorOf(await withHeader(basic(id, secret), { client_id: app.other.id }))).toBe('400 invalid_request')
  expect((await withHeader(basic(id, secret), { client_id: id })).status).toBe(200)
})

test('C06 C07 a failure by Basic is challenged with Basic, one in the body with Bearer', async () => {
  const [byHeader, byBody] = [await withHeader(basic(id, 'wrong')), await app.token({ ...grant, client_id: id })]
  expect([errorOf(byHeader), challengeOf(byHeader)]).toEqual(['401 invalid_client', 'Basic'])
  expect([errorOf(byBody), challengeOf(byBody)]).toEqual(['401 invalid_client', 'Bearer'])
})

describe('C08 an unknown client and a wrong secret get the same bytes, and the same challenge', () => {
  test.each(['client_credentials', 'refresh_token', 'authorization_code'])('for %s', async (grant_type) => {
    const nobody = newId('client', app.context.now())
    const tries = [id, nobody, 'nobody'].flatMap((client_id) =>
      [mint('secret'), 'wrong'].map((client_secret) => app.token({ grant_type, client_id, client_secret })),
    )
    const texts = (await Promise.all(tries)).map(
      ({ status, text, headers }) => `${status} ${text} ${headers.get('www-authenticate')}`,
    )
    expect(new Set(texts).size).toBe(1)
  })
})

test('C09 C10 no client, a confidential one without its secret (CVE-2026-53512)', async () => {
  for (const fields of [{}, { client_id: id }, { client_id: id, client_secret: '' }, { client_id: '' }]) {
    expect(errorOf(await app.token({ ...grant, ...fields }))).toBe('401 invalid_client')
  }
  expect(errorOf(await withHeader(basic(id)))).toBe('401 invalid_client')
})

test('C11 a public client that sends a secret is not what it says', async () => {
  const fields = { ...(await app.newCode(app.native)), client_secret: mint('secret') }
  expect(errorOf(await app.token(fields))).toBe('401 invalid_client')
})

test('C12 a public client gets no token of its own', async () => {
  expect(errorOf(await app.forApplication(app.native))).toBe('400 unauthorized_client')
})

test('C13 a grant that is not registered (CVE-2026-75866)', async () => {
  const narrow = await app.newClient()
  const fields = await app.newCode(narrow)
  const { refresh_token } = await app.newGrant(narrow)
  await app.context.db
    .update(clients)
    .set({ grantTypes: ['client_credentials'] })
    .where(eq(clients.id, narrow.id))
  expect(errorOf(await app.token(fields))).toBe('400 unauthorized_client')
  expect(errorOf(await app.refresh(refresh_token, narrow))).toBe('400 unauthorized_client')
  await app.context.db
    .update(clients)
    .set({ grantTypes: ['authorization_code'] })
    .where(eq(clients.id, narrow.id))
  expect(errorOf(await app.forApplication(narrow))).toBe('400 unauthorized_client')
  expect((await app.token(fields)).body).not.toHaveProperty('refresh_token')
})

describe('C13 the client, and then what it is registered for, come before the fields of every grant', () => {
  test.each(grantTypes)('%s', async (grant_type) => {
    const unregistered = await app.newClient()
    const others = grantTypes.filter((type) => type !== grant_type)
    await app.context.db.update(clients).set({ grantTypes: others }).where(eq(clients.id, unregistered.id))
    for (const name of Object.keys(grantParameters)) {
      const fields = { grant_type, [name]: 'https://nowhere.example/' }
      const refused = [{ client_id: id, client_secret: mint('secret') }, { client_id: id }, credentials(unregistered)]
      const replies = await Promise.all(refused.map((client) => app.token({ ...fields, ...client })))
      expect(replies.map(errorOf), name).toEqual([
        '401 invalid_client',
        '401 invalid_client',
        '400 unauthorized_client',
      ])
    }
  })
})

test('C14 any other scheme is refused, whatever the body says', async () => {
  const token = await app.token({ ...grant, ...credentials(app.client) })
  for (const authorization of [`Bearer ${token.body.access_token}`, 'Digest x', 'Negotiate x', '', 'Basic']) {
    const reply = await withHeader(authorization, credentials(app.client))
    if (authorization !== '') expect(errorOf(reply)).toBe('401 invalid_client')
  }
})

test.each([
  ['no base64', 'Basic ***'],
  ['no colon', `Basic ${btoa('abc')}`],
  ['nothing', 'Basic '],
  ['broken percent-encoding', `Basic ${btoa('%E0%A4%A:x')}`],
  ['a NUL', `Basic ${btoa('a\0b:c\0d')}`],
  ['an empty identifier', `Basic ${btoa(':secret')}`],
  ['two words', `Basic ${btoa('a:b')} ${btoa('a:b')}`],
  ['bytes that are not UTF-8', `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`],
])('C15 R08 malformed Basic: %s', async (_what, authorization) => {
  const reply = await withHeader(authorization)
  expect(errorOf(reply)).toBe('401 invalid_client')
  expect(challengeOf(reply)).toBe('Basic')
})

test('C16 two secrets live while one is replaced, and no third', async () => {
  const client = await app.newClient()
  const operator = { ...app.context, principal: { kind: 'operator' } as const }
  const { client_secret: second } = await rotateSecret(operator, { id: client.id })
  const works = async (client_secret: string | undefined) =>
    (await app.forApplication({ id: client.id, secret: client_secret })).status === 200
  expect([await works(client.secret), await works(second)]).toEqual([true, true])

  const { client_secret: third } = await rotateSecret(operator, { id: client.id })
  expect([await works(client.secret), await works(second), await works(third)]).toEqual([false, true, true])

  await app.elapse(clientSecrets, 'expiresAt', 24 * 3_600_000)
  expect([await works(second), await works(third)]).toEqual([false, true])
})

test('C17 no refresh token with client_credentials', async () => {
  expect((await app.forApplication()).body).not.toHaveProperty('refresh_token')
})

test('C18 Basic with an empty password is a public client without a secret', async () => {
  const { client_id, ...fields } = await app.newCode(app.native)
  expect((await app.token(fields, { authorization: basic(client_id ?? '') })).status).toBe(200)
})

test('C19 a failed authentication consumes nothing and revokes nothing', async () => {
  const code = await app.newCode()
  const { access_token, refresh_token } = await app.newGrant()
  const wrong = { client_secret: mint('secret') }
  expect(errorOf(await app.token({ ...code, ...wrong }))).toBe('401 invalid_client')
  expect(errorOf(await app.refresh(refresh_token, app.client, wrong))).toBe('401 invalid_client')
  expect(errorOf(await app.revoke({ token: access_token, ...credentials(app.client), ...wrong }))).toBe(
    '401 invalid_client',
  )
  expect((await app.token(code)).status).toBe(200)
  expect((await app.refresh(refresh_token)).status).toBe(200)
  expect(await app.statusOf(access_token)).toBe(200)
})

test('C20 keys, tokens, another client’s secret, another case, a space more are no secret', async () => {
  const client = await app.newClient()
  const { access_token, refresh_token } = await app.newGrant(client)
  const own = client.secret ?? ''
  const others = [
    access_token,
    refresh_token,
    app.other.secret ?? '',
    own.toUpperCase(),
    own.toLowerCase(),
    `${own} `,
    ` ${own}`,
  ]
  for (const client_secret of others) {
    expect(errorOf(await app.forApplication(client, { client_secret }))).toBe('401 invalid_client')
  }
  expect(errorOf(await app.forApplication({ id: ` ${client.id}`, secret: own }))).toBe('401 invalid_client')
  expect(errorOf(await app.forApplication({ id: client.id.toUpperCase(), secret: own }))).toBe('401 invalid_client')
})

test('a disabled client is nobody, and an expired secret none', async () => {
  const client = await app.newClient()
  await app.context.db
    .update(clientSecrets)
    .set({ expiresAt: inMs(0) })
    .where(eq(clientSecrets.clientId, client.id))
  expect(errorOf(await app.forApplication(client))).toBe('401 invalid_client')
  await app.context.db.update(clientSecrets).set({ expiresAt: null }).where(eq(clientSecrets.clientId, client.id))
  expect((await app.forApplication(client)).status).toBe(200)
  await app.context.db
    .update(clients)
    .set({ disabledAt: inMs(0) })
    .where(eq(clients.id, client.id))
  expect(errorOf(await app.forApplication(client))).toBe('401 invalid_client')
})
