import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditLog } from '../../src/db/schema/index.ts'
import { createKey, listKeys, revokeKey } from '../../src/domain/applications/api-keys.ts'
import { createApplication, deleteApplication, updateApplication } from '../../src/domain/applications/applications.ts'
import { listSecrets, revokeSecret, rotateSecret } from '../../src/domain/applications/client-secrets.ts'
import { getApplication, listApplications } from '../../src/domain/applications/list.ts'
import { rollKey } from '../../src/domain/applications/roll-api-key.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { CALLBACK, createOAuthApp, errorOf, type OAuthApp } from '../support/flows.ts'

let app: OAuthApp
let owner: UserContext
let stranger: UserContext
beforeAll(async () => {
  app = await createOAuthApp()
  owner = as(await app.user('owner'))
  stranger = as(await app.user('stranger'))
})
afterAll(() => app[Symbol.asyncDispose]())

const as = ({ id, username }: { id: string; username: string }): UserContext => ({
  ...app.context,
  principal: { kind: 'user', userId: id, username, clientId: null, scopes },
})
const web = { name: 'A web application', confidential: true, redirect_uris: [CALLBACK] }
const asClient = ({ id, client_secret }: { id: string; client_secret: string | null }) => ({
  id,
  secret: client_secret ?? undefined,
})

test('a confidential application gets a secret that is shown once, and every grant and scope unless told otherwise', async () => {
  const made = await createApplication(owner, web)
  expect(made).toMatchObject({
    ...web,
    website_url: null,
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    scopes,
    client_secret: expect.stringMatching(/^lscs_[0-9A-Za-z]{49}$/),
  })
  expect((await app.forApplication(asClient(made))).status).toBe(200)
  const { client_secret, ...shown } = made
  expect(await getApplication(owner, { id: made.id })).toEqual(shown)
  expect(JSON.stringify(await listSecrets(owner, { id: made.id }))).not.toContain(client_secret)
})

test('a public application has no secret and no token of its own', async () => {
  const native = { name: 'Native', confidential: false, redirect_uris: ['com.example.app:/cb', 'http://[::1]/cb'] }
  const made = await createApplication(owner, native)
  expect(made.client_secret).toBeNull()
  expect(made.grant_types).toEqual(['authorization_code', 'refresh_token'])
  expect(errorOf(await app.forApplication(asClient(made)))).toBe('400 unauthorized_client')
  await expect(rotateSecret(owner, { id: made.id })).rejects.toMatchObject({ code: 'invalid_request' })
})

describe('A02 a redirect address is https, on the own computer, or of a private scheme', () => {
  test.each([
    'https://client.example/cb#x',
    'https://user:pass@client.example/cb',
    'https://user@client.example/cb',
    'https://*.client.example/cb',
    'https://client.example/*',
    'http://client.example/cb',
    'http://127.0.0.2/cb',
    'http://localhost.evil.example/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'myapp:/cb',
    'https://client.example/cb?code=1',
    'https://client.example/cb?state=1',
    'https://client.example/a b',
    'https://client.example\\cb',
    'https://clïent.example/cb',
    '/callback',
    'client.example/cb',
    '',
    `https://client.example/${'x'.repeat(2048)}`,
  ])('%j is refused (CVE-2024-52289)', async (uri) => {
    const wrong = createApplication(owner, { ...web, redirect_uris: [uri] })
    await expect(wrong).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^redirect_uris: /),
    })
  })

  test.each(['https://client.example:8443/cb?own=1', 'http://localhost:4000/cb', 'com.example.app:/oauth/cb'])(
    '%s is fine',
    async (uri) => {
      expect((await createApplication(owner, { ...web, redirect_uris: [uri] })).redirect_uris).toEqual([uri])
    },
  )
})

test.each([
  ['name', { name: ' ' }],
  ['name', { name: 'x'.repeat(101) }],
  ['name', { name: 'evil\u202Etxet' }],
  ['website_url', { website_url: 'javascript:alert(1)' }],
  ['scopes', { scopes: [] }],
  ['grant_types', { grant_types: [] }],
  ['redirect_uris', { redirect_uris: [], grant_types: ['authorization_code' as const] }],
  ['redirect_uris', { redirect_uris: Array.from({ length: 21 }, (_, n) => `${CALLBACK}${n}`) }],
  ['grant_types', { confidential: false, grant_types: ['client_credentials' as const] }],
])('%s is checked: %j', async (field, changes) => {
  const wrong = createApplication(owner, { ...web, ...changes })
  await expect(wrong).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringMatching(`^${field}: `) })
})

test('an update changes what is given and leaves the rest', async () => {
  const { id } = await createApplication(owner, web)
  const website_url = 'https://client.example/'
  expect(await updateApplication(owner, { id, website_url })).toMatchObject({ ...web, website_url })
  const redirect_uris = [`${CALLBACK}2`, `${CALLBACK}3`]
  expect(await updateApplication(owner, { id, redirect_uris, website_url: null })).toMatchObject({
    name: web.name,
    redirect_uris,
    website_url: null,
  })
  await expect(updateApplication(owner, { id, redirect_uris: [] })).rejects.toMatchObject({ code: 'invalid_request' })
  expect((await getApplication(owner, { id })).redirect_uris).toEqual(redirect_uris)
})

test('an update that changes nothing moves no time and leaves no record', async () => {
  const before = await createApplication(owner, { ...web, website_url: 'https://client.example/' })
  const { id, name, redirect_uris, scopes: registered, grant_types, website_url } = before
  await updateApplication(owner, { id, name, redirect_uris, scopes: registered, grant_types, website_url })
  await updateApplication(owner, { id })
  expect((await getApplication(owner, { id })).updated_at).toBe(before.updated_at)
  const records = await app.context.db.select().from(auditLog).where(eq(auditLog.clientId, id))
  expect(records.map(({ action }) => action)).not.toContain('application.updated')
})

test('a deletion takes secrets, keys and tokens along', async () => {
  const made = await createApplication(owner, web)
  const { key } = await createKey(owner, { application_id: made.id, name: 'A key' })
  const { access_token } = await app.newGrant(asClient(made))
  await deleteApplication(owner, { id: made.id })
  expect(await app.statusOf(access_token)).toBe(401)
  expect(errorOf(await app.request('GET /v1/channels/', { token: key }))).toBe('401 invalid_token')
  expect(errorOf(await app.forApplication(asClient(made)))).toBe('401 invalid_client')
  await expect(getApplication(owner, { id: made.id })).rejects.toMatchObject({ code: 'not_found' })
})

test('somebody else’s application is not there, whatever is tried', async () => {
  const { id } = await createApplication(owner, web)
  const key = await createKey(owner, { application_id: id, name: 'A key' })
  const [secret] = await listSecrets(owner, { id })
  const tries = await Promise.allSettled([
    getApplication(stranger, { id }),
    updateApplication(stranger, { id, name: 'Mine' }),
    deleteApplication(stranger, { id }),
    rotateSecret(stranger, { id }),
    listSecrets(stranger, { id }),
    revokeSecret(stranger, { id, secret_id: secret?.id ?? '' }),
    createKey(stranger, { application_id: id, name: 'Mine' }),
    listKeys(stranger, { application_id: id, limit: 10 }),
    rollKey(stranger, { id: key.id }),
    revokeKey(stranger, { id: key.id }),
    getApplication(stranger, { id: 'x\0' }),
  ])
  for (const one of tries) expect(one).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } })
  expect((await app.request('GET /v1/channels/', { token: key.key })).status).toBe(200)
})

test('a list has the own applications, oldest first, a page at a time', async () => {
  const solo = as(await app.user('solo'))
  const made = []
  for (let n = 0; n < 5; n++) made.push(await createApplication(solo, { ...web, name: `App ${n}` }))
  const first = await listApplications(solo, { limit: 3 })
  const second = await listApplications(solo, { limit: 3, cursor: first.next ?? undefined })
  expect([...first.items, ...second.items].map(({ name }) => name)).toEqual(made.map(({ name }) => name))
  expect(second.next).toBeNull()
  await expect(listApplications(solo, { limit: 3, cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_cursor' })
})

test('a secret can be stopped at once', async () => {
  const made = await createApplication(owner, web)
  const [secret] = await listSecrets(owner, { id: made.id })
  await revokeSecret(owner, { id: made.id, secret_id: secret?.id ?? '' })
  expect(errorOf(await app.forApplication(asClient(made)))).toBe('401 invalid_client')
  const { client_secret } = await rotateSecret(owner, { id: made.id })
  expect((await app.forApplication({ id: made.id, secret: client_secret })).status).toBe(200)
})

test('the operator may act for every owner, and what happens is written down', async () => {
  const operator = { ...app.context, principal: { kind: 'operator' } as const }
  const { id } = await createApplication(owner, web)
  await rotateSecret(operator, { id })
  expect((await listApplications(operator, { limit: 100 })).items.map((one) => one.id)).toContain(id)
  const entries = await app.context.db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.clientId, id)))
    .orderBy(auditLog.id)
  expect(entries.map(({ action, actorType }) => `${actorType} ${action}`)).toEqual([
    'user application.created',
    'user secret.created',
    'operator secret.created',
  ])
  expect(JSON.stringify(entries)).not.toMatch(/lscs_/)
})
