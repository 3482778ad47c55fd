import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { accessTokens, apiKeys, clientSecrets, grants, refreshTokens, webhookWaits } from '../../src/db/schema/index.ts'
import { authenticate } from '../../src/domain/access/authenticate.ts'
import { createKey, revokeKey } from '../../src/domain/applications/api-keys.ts'
import { rotateSecret } from '../../src/domain/applications/client-secrets.ts'
import { rollKey } from '../../src/domain/applications/roll-api-key.ts'
import { transact } from '../../src/domain/core/transaction.ts'
import { deleteExpired } from '../../src/domain/expiry.ts'
import { revokeGrants } from '../../src/domain/oauth/revoke-grants.ts'
import { createTestContext } from '../support/context.ts'

const HOUR_MS = 3_600_000
const START = new Date('2026-01-02T03:04:05.678Z')
let own: Awaited<ReturnType<typeof createTestContext>>

beforeAll(async () => {
  own = await createTestContext()
})
afterAll(() => own[Symbol.asyncDispose]())

const count = (table: typeof accessTokens | typeof grants | typeof refreshTokens) => own.context.db.$count(table)

test('what expired goes a day later, what lives stays', async () => {
  const user = await own.user('alice')
  await own.token(['user:read'], { user })
  await own.elapse(accessTokens, 'expiresAt', 24 * HOUR_MS)
  await deleteExpired(own.context, own.clock.at)
  expect(await count(accessTokens)).toBe(1)

  await own.elapse(accessTokens, 'expiresAt', 2 * HOUR_MS)
  const living = await own.token(['user:read'], { user })
  await deleteExpired(own.context, own.clock.at)
  expect(await count(accessTokens)).toBe(1)
  expect(await authenticate(own.context, living)).toMatchObject({ userId: user.id })
})

test('used refresh tokens, by which reuse is recognised, stay as long as their grant', async () => {
  expect(await count(refreshTokens)).toBe(2)
  own.clock.at = new Date(own.clock.at.getTime() + 360 * 24 * HOUR_MS)
  await deleteExpired(own.context, own.clock.at)
  expect(await count(refreshTokens)).toBe(2)

  own.clock.at = new Date(own.clock.at.getTime() + 10 * 24 * HOUR_MS)
  await deleteExpired(own.context, own.clock.at)
  expect([await count(grants), await count(refreshTokens)]).toEqual([0, 0])
})

beforeEach(() => {
  own.clock.at = START
})

test('a grant goes a month after its revocation, with however many tokens it had', async () => {
  const user = await own.user('bob')
  await own.token(['user:read'], { user })
  await own.context.db.execute(`insert into refresh_tokens (hash, grant_id, expires_at, consumed_at)
    select sha256(n::text::bytea), (select id from grants limit 1), now(), now() from generate_series(1, 2500) as n`)
  await transact(own.context, (tx) => revokeGrants(tx, undefined, { reason: 'user', actor: { type: 'operator' } }))
  await own.elapse(grants, 'revokedAt', 29 * 24 * HOUR_MS)
  await deleteExpired(own.context, own.clock.at)
  expect([await count(grants), await count(refreshTokens)]).toEqual([1, 2501])
  await own.elapse(grants, 'revokedAt', 2 * 24 * HOUR_MS)
  await deleteExpired(own.context, own.clock.at)
  expect([await count(grants), await count(refreshTokens)]).toEqual([0, 0])
})

test('replaced secrets and keys go a month after their end, and what works stays', async () => {
  const ctx = { ...own.context, principal: { kind: 'operator' } as const }
  const { id } = await own.client()
  await rotateSecret(ctx, { id })
  const first = await createKey(ctx, { application_id: id, name: 'Old', scopes: ['channel:read'] })
  const second = await rollKey(ctx, { id: first.id })
  const third = await createKey(ctx, { application_id: id, name: 'Living', scopes: ['channel:read'] })
  await revokeKey(ctx, { id: second.id })
  await own.elapse(clientSecrets, 'expiresAt', 31 * 24 * HOUR_MS)
  await own.elapse(apiKeys, 'revokedAt', 31 * 24 * HOUR_MS)
  await deleteExpired(ctx, own.clock.at)
  expect(await own.context.db.$count(clientSecrets, eq(clientSecrets.clientId, id))).toBe(1)
  expect(await own.context.db.$count(apiKeys), 'the first still points to the second').toBe(3)
  await own.context.db.execute(
    `update api_keys set expires_at = expires_at - interval '32 days' where id = '${first.id}'`,
  )
  for (let n = 0; n < 2; n++) await deleteExpired(ctx, own.clock.at)
  expect(await own.context.db.select({ id: apiKeys.id }).from(apiKeys)).toEqual([{ id: third.id }])
})

test('how long deliveries waited goes a day later', async () => {
  await own.context.db.execute(`insert into webhook_waits select statement_timestamp() - h * interval '1 hour', 10, 1
    from unnest('{1,23,25,48}'::int[]) h`)
  await deleteExpired(own.context, new Date())
  expect(await own.context.db.$count(webhookWaits)).toBe(2)
})
