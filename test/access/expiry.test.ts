import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessTokens, grants, refreshTokens } from '../../src/db/schema/index.ts'
import { authenticate } from '../../src/domain/access/authenticate.ts'
import { deleteExpired } from '../../src/domain/expiry.ts'
import { createTestContext } from '../support/context.ts'

const HOUR_MS = 3_600_000
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
