import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessTokens, grants, refreshTokens, users } from '../../src/db/schema/index.ts'
import { mint } from '../../src/domain/access/token-format.ts'
import { inMs } from '../../src/domain/core/db-now.ts'
import { Keyring } from '../../src/domain/core/keyring.ts'
import { refreshTokenGrant } from '../../src/domain/oauth/grant-refresh-token.ts'
import { basic, caller, createOAuthApp, credentials, errorOf, type OAuthApp, warmUp } from '../support/flows.ts'

let app: OAuthApp
beforeAll(async () => {
  app = await createOAuthApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const refused = '400 invalid_grant'
const rotated = async (refreshToken: string) => {
  const reply = await app.refresh(refreshToken)
  expect(reply.status).toBe(200)
  return reply.body as { access_token: string; refresh_token: string; scope: string }
}

test('F01 every refresh rotates, and older access tokens keep their life', async () => {
  const granted = await app.newGrant()
  const first = await rotated(granted.refresh_token)
  const second = await rotated(first.refresh_token)
  expect(new Set([granted, first, second].map((one) => one.refresh_token)).size).toBe(3)
  for (const { access_token } of [granted, first, second]) expect(await app.statusOf(access_token)).toBe(200)
})

test('F13 a refresh by Basic and in all encodings', async () => {
  const { refresh_token } = await app.newGrant()
  const fields = { grant_type: 'refresh_token', refresh_token, ...credentials(app.client) }
  const multipart = new FormData()
  for (const [name, value] of Object.entries(fields)) multipart.append(name, value)
  const replies = [
    await app.request('POST /oauth/token', { body: fields }),
    await app.request('POST /oauth/token', { body: multipart }),
    await app.token(
      { grant_type: 'refresh_token', refresh_token },
      { authorization: basic(app.client.id, app.client.secret) },
    ),
  ]
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
})

test('F02 a retry within the grace gets the same successor and another access token (CVE-2026-1035)', async () => {
  const { refresh_token } = await app.newGrant()
  const first = await rotated(refresh_token)
  await app.elapse(refreshTokens, 'consumedAt', 59_000)
  const again = await rotated(refresh_token)
  expect(again.refresh_token).toBe(first.refresh_token)
  expect(again.access_token).not.toBe(first.access_token)
  await rotated(again.refresh_token)
})

test('F02 the grace survives a new first key in SECRET_KEYS', async () => {
  const [old, next] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
  const { refresh_token } = await app.newGrant()
  const ask = (keys: [string, ...string[]]) => {
    const ctx = { ...app.context, caller: caller(), keyring: new Keyring(keys) }
    const presented = { id: app.client.id, secret: app.client.secret, scheme: 'Bearer' } as const
    return refreshTokenGrant.exchange(ctx, presented, { refresh_token })
  }
  const before = await ask([old])
  expect((await ask([next, old])).refresh_token).toBe(before.refresh_token)
  await expect(ask([next])).rejects.toMatchObject({ code: 'invalid_grant' })
})

test('F05 twenty at once all get the same successor (CVE-2026-53517)', async () => {
  await warmUp(app.context)
  const { refresh_token } = await app.newGrant()
  const replies = await Promise.all(Array.from({ length: 20 }, () => app.refresh(refresh_token)))
  expect(new Set(replies.map(({ status, body }) => `${status} ${body.refresh_token}`)).size).toBe(1)
  expect(replies[0]?.status).toBe(200)
})

test('F03 reuse after a minute kills the whole grant (CVE-2026-50631)', async () => {
  const granted = await app.newGrant()
  const next = await rotated(granted.refresh_token)
  await app.elapse(refreshTokens, 'consumedAt', 60_000)
  expect(errorOf(await app.refresh(granted.refresh_token))).toBe(refused)
  for (const { access_token } of [granted, next]) expect(await app.statusOf(access_token)).toBe(401)
  expect(errorOf(await app.refresh(next.refresh_token))).toBe(refused)
})

test('F04 reuse after the successor was used kills it too, even within the minute', async () => {
  const granted = await app.newGrant()
  const next = await rotated(granted.refresh_token)
  const last = await rotated(next.refresh_token)
  expect(errorOf(await app.refresh(granted.refresh_token))).toBe(refused)
  expect(errorOf(await app.refresh(last.refresh_token))).toBe(refused)
  expect(await app.statusOf(last.access_token)).toBe(401)
})

test('F06 a narrower scope is for one token', async () => {
  const { refresh_token } = await app.newGrant()
  const { body } = await app.refresh(refresh_token, app.client, { scope: 'chat:read' })
  expect(body.scope).toBe('chat:read')
  expect(errorOf(await app.request('GET /v1/users/me', { token: body.access_token }))).toBe('403 insufficient_scope')
  expect((await rotated(body.refresh_token)).scope).toBe('user:read chat:read')
})

test('F07 a wider scope is refused and consumes nothing', async () => {
  const { refresh_token } = await app.newGrant()
  for (const scope of ['chat:write', 'user:read chat:write', 'no:such', ' ']) {
    expect(errorOf(await app.refresh(refresh_token, app.client, { scope }))).toBe('400 invalid_scope')
  }
  const [row] = await app.context.db
    .select()
    .from(refreshTokens)
    .where(eq(refreshTokens.grantId, await newest()))
  expect(row?.consumedAt).toBeNull()
  await rotated(refresh_token)
})

async function newest() {
  const found = await app.context.db.select({ id: grants.id }).from(grants).orderBy(grants.id)
  return found.at(-1)?.id ?? ''
}

test('a registration that was narrowed since narrows what is refreshed (CVE-2026-28699)', async () => {
  const { clients } = await import('../../src/db/schema/index.ts')
  const client = await app.newClient()
  const { refresh_token } = await app.newGrant(client)
  await app.context.db
    .update(clients)
    .set({ scopes: ['chat:read'] })
    .where(eq(clients.id, client.id))
  expect((await app.refresh(refresh_token, client)).body.scope).toBe('chat:read')
})

test('F08 another client’s token is refused, and untouched', async () => {
  const { refresh_token, access_token } = await app.newGrant()
  expect(errorOf(await app.refresh(refresh_token, app.other))).toBe(refused)
  expect(errorOf(await app.refresh(refresh_token, app.native))).toBe(refused)
  expect(await app.statusOf(access_token)).toBe(200)
  await rotated(refresh_token)
})

test('F09 a confidential client authenticates, a public one names itself (CVE-2026-92289)', async () => {
  const { refresh_token } = await app.newGrant()
  const fields = { grant_type: 'refresh_token', refresh_token }
  for (const more of [{}, { client_id: app.client.id }]) {
    expect(errorOf(await app.token({ ...fields, ...more }))).toBe('401 invalid_client')
  }
  const native = await app.newGrant(app.native)
  expect((await app.refresh(native.refresh_token, app.native)).status).toBe(200)
})

test('F10 a missing token is named, garbage is refused', async () => {
  const missing = await app.token({ grant_type: 'refresh_token', ...credentials(app.client) })
  expect(errorOf(missing)).toBe('400 invalid_request')
  expect(missing.body.error.message).toContain('refresh_token')
  const { access_token } = await app.newGrant()
  for (const garbage of ['garbage', mint('refresh'), mint('access'), access_token]) {
    expect(errorOf(await app.refresh(garbage))).toBe(refused)
  }
})

test('F11 expired, beyond the life of the grant, user disabled', async () => {
  const { refresh_token: late } = await app.newGrant()
  await app.elapse(refreshTokens, 'expiresAt', 30 * 24 * 3_600_000)
  expect(errorOf(await app.refresh(late))).toBe(refused)

  const { refresh_token: old } = await app.newGrant()
  await app.elapse(grants, 'expiresAt', 364.5 * 24 * 3_600_000)
  const next = await rotated(old)
  await app.elapse(refreshTokens, 'expiresAt', 24 * 3_600_000)
  expect(errorOf(await app.refresh(next.refresh_token))).toBe(refused)

  const alan = await app.user('alan')
  const { refresh_token } = await app.newGrant(app.client, ['user:read'], alan)
  await app.context.db
    .update(users)
    .set({ disabledAt: inMs(0) })
    .where(eq(users.id, alan.id))
  expect(errorOf(await app.refresh(refresh_token))).toBe(refused)
})

test('F15 other grants of the same user and client stay alive', async () => {
  const [one, other] = [await app.newGrant(), await app.newGrant()]
  const next = await rotated(one.refresh_token)
  await rotated(next.refresh_token)
  expect(errorOf(await app.refresh(one.refresh_token))).toBe(refused)
  expect(await app.statusOf(other.access_token)).toBe(200)
  await rotated(other.refresh_token)
})

test('M05 of tokens only digests are kept', async () => {
  const { access_token, refresh_token } = await app.newGrant()
  const rows = [
    ...(await app.context.db.select().from(accessTokens)),
    ...(await app.context.db.select().from(refreshTokens)),
  ]
  const texts = rows.map((row) =>
    Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString() : value)),
  )
  expect(JSON.stringify(texts)).not.toMatch(new RegExp(`${access_token}|${refresh_token}`))
})
