import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authorizationCodes, grants, users } from '../../src/db/schema/index.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import { createOAuthApp, credentials, errorOf, type Fields, type OAuthApp, pkce, warmUp } from '../support/flows.ts'

let app: OAuthApp
beforeAll(async () => {
  app = await createOAuthApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const isDead = async (
  { access_token, refresh_token }: { access_token: string; refresh_token: string },
  of = app.client,
) => (await app.statusOf(access_token)) === 401 && errorOf(await app.refresh(refresh_token, of)) === '400 invalid_grant'

test('G01 a code becomes tokens with scope and refresh token, for both kinds of client', async () => {
  for (const client of [app.client, app.native]) {
    const { status, body } = await app.token(await app.newCode(client))
    expect(status).toBe(200)
    expect(body).toMatchObject({ scope: 'user:read chat:read', refresh_token: expect.stringMatching(/^lsrt_/) })
    const me = await app.request('GET /v1/users/me', { token: body.access_token })
    expect(me.body.data).toMatchObject({ id: app.ada.id, username: 'ada' })
  }
})

test('G02 a second valid use is refused, and what the first gave dies (CVE-2026-68079)', async () => {
  const fields = await app.newCode()
  const granted = (await app.token(fields)).body
  const refreshed = (await app.refresh(granted.refresh_token)).body
  expect(errorOf(await app.token(fields))).toBe('400 invalid_grant')
  expect(await isDead(granted)).toBe(true)
  expect(await isDead(refreshed)).toBe(true)
})

test('G03 G04 a replay with a wrong verifier, or by another client, revokes nothing', async () => {
  const fields = await app.newCode()
  const { access_token } = (await app.token(fields)).body
  expect(errorOf(await app.token({ ...fields, code_verifier: pkce().verifier }))).toBe('400 invalid_grant')
  expect(errorOf(await app.token({ ...fields, redirect_uri: 'https://other.example/callback' }))).toBe(
    '400 invalid_grant',
  )
  expect(errorOf(await app.token({ ...fields, ...credentials(app.other) }))).toBe('400 invalid_grant')
  expect(await app.statusOf(access_token)).toBe(200)
})

test('G05 a code belongs to its client, who can use it after another tried (CVE-2026-16089)', async () => {
  const fields = await app.newCode()
  expect(errorOf(await app.token({ ...fields, ...credentials(app.other) }))).toBe('400 invalid_grant')
  expect((await app.token(fields)).status).toBe(200)
})

test('G12 a public client names itself', async () => {
  const { client_id: _, ...fields } = await app.newCode(app.native)
  expect(errorOf(await app.token(fields))).toBe('401 invalid_client')
})

test('G06 G07 a code is dead after a minute, and so is its replay (CVE-2026-73311)', async () => {
  const [unused, used, late] = [await app.newCode(), await app.newCode(), await app.newCode()]
  const { access_token } = (await app.token(used)).body
  await app.elapse(authorizationCodes, 'expiresAt', 59_000)
  expect((await app.token(late)).status).toBe(200)
  await app.elapse(authorizationCodes, 'expiresAt', 1_000)
  expect(errorOf(await app.token(unused))).toBe('400 invalid_grant')
  expect(errorOf(await app.token(used))).toBe('400 invalid_grant')
  expect(await app.statusOf(access_token)).toBe(200)
})

test('G08 code or code_verifier missing, also for a confidential client (CVE-2024-23647)', async () => {
  const { code = '', code_verifier = '', ...fields } = await app.newCode()
  for (const [name, given] of [
    ['code', { code_verifier }],
    ['code_verifier', { code }],
    ['code_verifier', { code, code_verifier: '' }],
  ] as [string, Fields][]) {
    const reply = await app.token({ ...fields, ...given })
    expect(errorOf(reply)).toBe('400 invalid_request')
    expect(reply.body.error.message).toContain(name)
  }
  expect((await app.token({ ...fields, code, code_verifier })).status).toBe(200)
})

test('G09 a wrong verifier burns the code (CVE-2026-26247)', async () => {
  const fields = await app.newCode()
  expect(errorOf(await app.token({ ...fields, code_verifier: pkce().verifier }))).toBe('400 invalid_grant')
  expect(errorOf(await app.token(fields))).toBe('400 invalid_grant')
})

test.each(['a'.repeat(42), 'a'.repeat(129), 'é'.repeat(43), `${'a'.repeat(42)}+`, `${'a'.repeat(43)}\n`])(
  'G10 the malformed verifier %j is refused before the code is touched (CVE-2026-41213)',
  async (code_verifier) => {
    const fields = await app.newCode()
    expect(errorOf(await app.token({ ...fields, code_verifier }))).toBe('400 invalid_request')
    expect((await app.token(fields)).status).toBe(200)
  },
)

test('G16 a malformed verifier is refused even when its hash is the challenge (CVE-2024-22258)', async () => {
  const short = 'short'
  const fields = await app.newCode()
  const { createHash } = await import('node:crypto')
  const codeChallenge = createHash('sha256').update(short).digest('base64url')
  await app.context.db.update(authorizationCodes).set({ codeChallenge })
  expect(errorOf(await app.token({ ...fields, code_verifier: short }))).toBe('400 invalid_request')
})

test('G11 another redirect_uri is refused, none is fine', async () => {
  const wrong = await app.newCode()
  expect(errorOf(await app.token({ ...wrong, redirect_uri: `${wrong.redirect_uri}/` }))).toBe('400 invalid_grant')
  const { redirect_uri: _, ...fields } = await app.newCode()
  expect((await app.token(fields)).status).toBe(200)
})

test('G13 of twenty exchanges at once exactly one succeeds (CVE-2026-26232)', async () => {
  await warmUp(app.context)
  const fields = await app.newCode()
  const replies = await Promise.all(Array.from({ length: 20 }, () => app.token(fields)))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(replies.filter((reply) => errorOf(reply) === '400 invalid_grant')).toHaveLength(19)
})

test('G14 a user who was disabled meanwhile gets nothing (CVE-2026-41427)', async () => {
  const grace = await app.user('grace')
  const fields = await app.newCode(app.client, ['user:read'], grace)
  await app.context.db
    .update(users)
    .set({ disabledAt: inMs(0) })
    .where(eq(users.id, grace.id))
  expect(errorOf(await app.token(fields))).toBe('400 invalid_grant')
})

test('G15 G17 no token of another kind, no near miss (CVE-2026-101023)', async () => {
  const fields = await app.newCode()
  const { access_token, refresh_token } = await app.newGrant()
  const { code = '' } = fields
  const others = [
    access_token,
    refresh_token,
    mint('code'),
    code.slice(0, -1),
    `${code}0`,
    code.toUpperCase(),
    ` ${code}`,
    'x',
  ]
  for (const other of others) expect(errorOf(await app.token({ ...fields, code: other }))).toBe('400 invalid_grant')
  expect((await app.token(fields)).status).toBe(200)
})

test('G18 a scope here cannot widen what was allowed', async () => {
  const { body } = await app.token({ ...(await app.newCode()), scope: 'chat:write webhook:write' })
  expect(body.scope).toBe('user:read chat:read')
})

test('each exchange has a grant of its own: a phone and a laptop die apart (F15)', async () => {
  const [phone, laptop] = [await app.newGrant(), await app.newGrant()]
  await app.revoke({ token: phone.refresh_token, ...credentials(app.client) })
  expect(await isDead(phone)).toBe(true)
  expect(await app.statusOf(laptop.access_token)).toBe(200)
  const found = await app.context.db.select().from(grants).where(eq(grants.clientId, app.client.id))
  expect(new Set(found.map(({ id }) => id)).size).toBe(found.length)
})
