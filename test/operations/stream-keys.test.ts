import { afterAll, describe, expect, test } from 'vitest'
import { streamKeys } from '../../src/db/schema/index.ts'
import { listOwnAudit } from '../../src/domain/accounts/audit-log.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import { sha256 } from '../../src/domain/core/digest.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { getEncoderSettings, revokeStreamKey, rollStreamKey } from '../../src/domain/ingest/stream-keys.ts'
import { createTestContext } from '../support/context.ts'

const service = await createTestContext({ ingest: { serverUrl: 'rtmp://live.example/live', secret: undefined } })
const { context } = service
afterAll(() => service[Symbol.asyncDispose]())
const as = async (username: string): Promise<UserContext> => {
  const { id: userId } = await service.user(username)
  return { ...context, principal: { kind: 'user', userId, username, clientId: null, scopes } }
}
const ada = await as('ada')
const bob = await as('bob')

describe('a stream key', () => {
  test('is one of a channel, shown once and kept as a digest', async () => {
    expect(await getEncoderSettings(ada)).toEqual({ server_url: 'rtmp://live.example/live', stream_key: null })
    const { key, ...listed } = await rollStreamKey(ada)
    expect(key).toMatch(/^lssk_[0-9A-Za-z]{49}$/)
    expect(listed).toEqual({
      last4: key.slice(-4),
      created_at: expect.stringMatching(/Z$/),
      rolled_at: null,
      last_used_at: null,
    })
    expect((await getEncoderSettings(ada)).stream_key).toEqual(listed)
    const rows = await context.db.select().from(streamKeys)
    expect(rows).toMatchObject([{ channelId: ada.principal.userId, hash: sha256(key) }])
    expect(Object.values(rows[0] ?? {}).map(String)).not.toContain(key)
  })

  test('gets another value when it is rolled, also by twenty at once', async () => {
    const before = await context.db.select().from(streamKeys)
    const rolled = await Promise.all(Array.from({ length: 20 }, () => rollStreamKey(ada)))
    expect(new Set(rolled.map(({ key }) => key)).size).toBe(20)
    expect(rolled.every(({ rolled_at }) => rolled_at !== null)).toBe(true)
    const after = await context.db.select().from(streamKeys)
    expect(after).toHaveLength(1)
    expect(after[0]?.createdAt).toEqual(before[0]?.createdAt)
    expect(rolled.map(({ key }) => sha256(key))).toContainEqual(after[0]?.hash)
  })

  test('of somebody else is out of reach, and gone once it is revoked', async () => {
    await expect(revokeStreamKey(bob)).rejects.toMatchObject({ code: 'not_found' })
    expect((await getEncoderSettings(bob)).stream_key).toBeNull()
    await revokeStreamKey(ada)
    expect((await getEncoderSettings(ada)).stream_key).toBeNull()
    await expect(revokeStreamKey(ada)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('leaves its traces in the security log, without its value', async () => {
    const { items } = await listOwnAudit(ada, { limit: 100 })
    const actions = items.map(({ action }) => action)
    expect(actions.toReversed()).toEqual([
      'stream_key.created',
      ...Array(20).fill('stream_key.rolled'),
      'stream_key.revoked',
    ])
    expect(JSON.stringify(items)).not.toContain('lssk_')
  })

  test('has no address where nobody is let in', async () => {
    const { ingest: _, ...without } = ada
    expect((await getEncoderSettings(without)).server_url).toBeNull()
  })
})
