import { afterAll, describe, expect, test } from 'vitest'
import { overlayKeys } from '../../src/db/schema/index.ts'
import { listOwnAudit } from '../../src/domain/accounts/audit-log.ts'
import type { UserContext } from '../../src/domain/core/context.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { scopes } from '../../src/domain/core/scopes.ts'
import { createOverlay, listOverlays, revokeOverlay, rollOverlay } from '../../src/domain/overlays.ts'
import { createTestContext } from '../support/context.ts'

const service = await createTestContext()
const { context } = service
afterAll(() => service[Symbol.asyncDispose]())
const as = async (username: string): Promise<UserContext> => {
  const { id: userId } = await service.user(username)
  return { ...context, principal: { kind: 'user', userId, username, clientId: null, scopes } }
}
const ada = await as('ada')
const bob = await as('bob')
const wanted = { name: ' Chat ', event_types: ['chat.message.sent', 'chat.message.deleted', 'chat.message.sent'] }
const code = (problem: string) => ({ code: problem })

describe('an overlay key', () => {
  test('is shown once, has a name and its types, and is kept as a digest', async () => {
    const { key, ...listed } = await createOverlay(ada, wanted)
    expect(key).toMatch(/^lsok_[0-9A-Za-z]{49}$/)
    expect(listed).toEqual({
      id: expect.stringMatching(/^ovl_/),
      name: 'Chat',
      last4: key.slice(-4),
      event_types: ['chat.message.sent', 'chat.message.deleted'],
      created_at: expect.stringMatching(/Z$/),
      rolled_at: null,
      last_used_at: null,
    })
    expect(await listOverlays(ada)).toEqual([listed])
    const rows = await context.db.select().from(overlayKeys)
    expect(rows).toHaveLength(1)
    expect(Object.values(rows[0] ?? {}).map(String)).not.toContain(key)
    await revokeOverlay(ada, { id: listed.id })
    expect(await listOverlays(ada)).toEqual([])
  })

  test('is made for types that there are, and never for moderation', async () => {
    for (const [event_types, problem] of [
      [['nope'], 'unknown_event_type'],
      [['webhook.test'], 'unknown_event_type'],
      [['chat.message.sent', 'moderation.ban.created'], 'invalid_request'],
      [['moderation.ban.removed'], 'invalid_request'],
    ] as const) {
      await expect(createOverlay(ada, { ...wanted, event_types })).rejects.toMatchObject(code(problem))
    }
    for (const name of ['   ', 'x'.repeat(101), 'a\u202eb', 'a\nb']) {
      await expect(createOverlay(ada, { ...wanted, name })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/^name: /),
      })
    }
    expect(await listOverlays(ada)).toEqual([])
  })

  test('keeps its name and types when it is rolled', async () => {
    const made = await createOverlay(ada, wanted)
    const rolled = await rollOverlay(ada, { id: made.id })
    expect(rolled.key).not.toBe(made.key)
    const { key: _, last4, rolled_at, ...same } = rolled
    expect(made).toMatchObject(same)
    expect([last4, rolled_at]).toEqual([rolled.key.slice(-4), expect.stringMatching(/Z$/)])
    await revokeOverlay(ada, { id: made.id })
  })

  test('is nobody else’s, and nothing once it is revoked', async () => {
    const { id } = await createOverlay(ada, wanted)
    const before = await listOverlays(ada)
    for (const change of [rollOverlay, revokeOverlay]) {
      for (const other of [id, newId('overlay', context.now()), newId('key', context.now()), 'ovl_x', '\0']) {
        await expect(change(bob, { id: other })).rejects.toMatchObject(code('not_found'))
      }
    }
    expect([await listOverlays(bob), await listOverlays(ada)]).toEqual([[], before])
    await revokeOverlay(ada, { id })
    await expect(revokeOverlay(ada, { id })).rejects.toMatchObject(code('not_found'))
  })
})

test('a channel has ten, also when many are made at once, and room again for each that is revoked', async () => {
  const made = await Promise.allSettled(Array.from({ length: 15 }, () => createOverlay(bob, wanted)))
  const refused = made.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(5)
  for (const one of refused) expect(one).toMatchObject({ reason: { code: 'limit_reached' } })
  const [first] = await listOverlays(bob)
  await rollOverlay(bob, { id: first?.id ?? '' })
  await createOverlay(ada, wanted)
  await revokeOverlay(bob, { id: first?.id ?? '' })
  await createOverlay(bob, wanted)
  expect(await listOverlays(bob)).toHaveLength(10)
})

test('what is done to keys stands in the log of their account, without them', async () => {
  const cal = await as('cal')
  const { id, key } = await createOverlay(cal, wanted)
  const { key: next } = await rollOverlay(cal, { id })
  await revokeOverlay(cal, { id })
  const { items } = await listOwnAudit(cal, { limit: 100 })
  expect(items.map(({ action, target_id, actor_id }) => [action, target_id, actor_id])).toEqual(
    ['revoked', 'rolled', 'created'].map((what) => [`overlay_key.${what}`, id, cal.principal.userId]),
  )
  for (const secret of [key, next]) expect(JSON.stringify(items)).not.toContain(secret)
})
