import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { events, users } from '../../src/db/schema/index.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const token = await app.token(['channel:read'])

describe('a channel', () => {
  test('is found by its slug in any case, percent-encoded or not', async () => {
    const ada = await app.user('ada')
    const expected = { ...ada, bio: null, image_url: null, is_live: false }
    for (const slug of ['ada', 'ADA', '%61da', 'ada/']) {
      const { status, body } = await app.request(`GET /v1/channels/${slug}`, { token })
      expect([status, body]).toEqual([200, { data: expected }])
    }
  })

  test('is changed by its user; what is left out stays, an empty text is null', async () => {
    const bell = await app.user('bell')
    const writer = await app.token(['channel:write'], { user: bell })
    const update = (body: object) => app.request('POST /trpc/channels.update', { token: writer, body })
    const changed = { bio: 'Hello', image_url: 'https://img.example.com/b.png' }
    expect((await update(changed)).body.result.data).toMatchObject(changed)
    expect((await update({ bio: '' })).body.result.data).toMatchObject({ ...changed, bio: null })
    for (const wrong of [{ bio: 'x'.repeat(501) }, { image_url: 'javascript:alert(1)' }, { image_url: '/a.png' }]) {
      const { status, body } = await update(wrong)
      expect([status, body.error.data.problem.message]).toEqual([400, expect.stringMatching(/^(bio|image_url):/)])
    }
  })

  test('that is changed to what it is already sends no event and moves no time', async () => {
    const euler = await app.user('euler')
    const writer = await app.token(['channel:write'], { user: euler })
    const update = (body: object) => app.request('POST /trpc/channels.update', { token: writer, body })
    const state = async () => ({
      sent: (await app.context.db.select().from(events).where(eq(events.channelId, euler.id))).length,
      at: (await app.context.db.select({ at: users.updatedAt }).from(users).where(eq(users.id, euler.id)))[0]?.at,
    })
    await update({ bio: 'Hello' })
    const before = await state()
    expect(before.sent).toBe(1)
    for (const same of [{ bio: 'Hello' }, {}, { image_url: '' }, { image_url: null, bio: 'Hello' }]) {
      expect((await update(same)).body.result.data).toMatchObject({ bio: 'Hello', image_url: null })
    }
    expect(await state()).toEqual(before)
    await update({ bio: 'Hello', image_url: 'https://img.example.com/e.png' })
    expect((await state()).sent).toBe(2)
  })

  test('of a user who was disabled is gone, with its tokens', async () => {
    const curie = await app.user('curie')
    const hers = await app.token(['user:read'], { user: curie })
    await app.context.db.update(users).set({ disabledAt: app.context.now() }).where(eq(users.id, curie.id))
    expect((await app.request('GET /v1/channels/curie', { token })).body.error.code).toBe('channel_not_found')
    expect((await app.request('GET /v1/users/me', { token: hers })).body.error.code).toBe('invalid_token')
  })
})

test('the current user is the one of the token', async () => {
  const dijkstra = await app.user('dijkstra')
  const { body } = await app.request('GET /v1/users/me', { token: await app.token(['user:read'], { user: dijkstra }) })
  expect(body).toEqual({ data: { ...dijkstra, email: 'dijkstra@example.com', bio: null, image_url: null } })
})
