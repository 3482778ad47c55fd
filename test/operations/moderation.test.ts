import { eq, inArray } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { events, users } from '../../src/db/schema/index.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())

async function owner(username: string) {
  const user = await app.user(username)
  return { user, token: await app.token(['moderation:write', 'chat:write'], { user }) }
}
const ban = (token: string, user_id: string) => app.request('POST /v1/moderation/bans', { token, body: { user_id } })
const unban = (token: string, user_id: string) =>
  app.request('POST /trpc/moderation.unban', { token, body: { user_id } })
const bansOf = async (token: string) => (await app.request('GET /v1/moderation/bans', { token })).body.data

describe('a ban', () => {
  test('keeps a user from writing in this room alone, until it is lifted', async () => {
    const ada = await owner('ada')
    const troll = await owner('troll')
    const say = (room_name: string) =>
      app.request('POST /v1/chat/messages', { token: troll.token, body: { room_name, content: 'hi' } })

    const { status, body } = await ban(ada.token, troll.user.id)
    expect([status, body.data]).toEqual([
      201,
      { id: expect.stringMatching(/^ban_/), created_at: expect.any(String), blocked_user: troll.user },
    ])
    expect(await bansOf(ada.token)).toEqual([body.data])
    expect(await bansOf(troll.token)).toEqual([])
    expect((await say('ada')).body.error.code).toBe('sender_banned')
    expect((await say('troll')).status).toBe(201)

    expect((await unban(ada.token, troll.user.id)).body.result.data).toEqual({ removed: true })
    expect((await unban(ada.token, troll.user.id)).body.result.data).toEqual({ removed: false })
    expect((await say('ada')).status).toBe(201)
  })

  test('twenty at once make one', async () => {
    const bell = await owner('bell')
    const target = await app.user('target')
    const answers = await Promise.all(Array.from({ length: 20 }, () => ban(bell.token, target.id)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array<number>(19).fill(409)])
    expect(answers.find(({ status }) => status === 409)?.body.error.code).toBe('already_banned')
  })

  test('of oneself or of nobody is refused', async () => {
    const curie = await owner('curie')
    expect((await ban(curie.token, curie.user.id)).body.error.code).toBe('cannot_ban_self')
    for (const nobody of ['usr_00000000000000000000000000', 'nope', '💥', '__proto__']) {
      expect((await ban(curie.token, nobody)).body.error.code, nobody).toBe('user_not_found')
    }
  })

  test('of a suspended account is a ban like any other, and can be lifted', async () => {
    const fermi = await owner('fermi')
    const suspended = await app.user('suspended')
    await app.context.db.update(users).set({ disabledAt: app.context.now() }).where(eq(users.id, suspended.id))
    const { status, body } = await ban(fermi.token, suspended.id)
    expect([status, body.data.blocked_user]).toEqual([201, suspended])
    expect(await bansOf(fermi.token)).toEqual([body.data])
    expect((await ban(fermi.token, suspended.id)).body.error.code).toBe('already_banned')
    expect((await unban(fermi.token, suspended.id)).body.result.data).toEqual({ removed: true })
    const sent = await app.context.db.select().from(events).where(eq(events.channelId, fermi.user.id))
    expect(sent.map(({ payload }) => JSON.parse(payload).data.blocked_user)).toEqual([suspended, suspended])
  })

  test('stays when its user is deleted, and then names nobody', async () => {
    const dijkstra = await owner('dijkstra')
    const gone = await app.user('gone')
    await ban(dijkstra.token, gone.id)
    await app.context.db.delete(users).where(eq(users.id, gone.id))
    expect(await bansOf(dijkstra.token)).toMatchObject([{ blocked_user: null }])
  })

  test('of somebody whose account was erased is a ban of nobody, and tells no name any more', async () => {
    const hopper = await owner('hopper')
    const [erased, banned] = [await app.user('erased'), await app.user('erased_banned')]
    await ban(hopper.token, banned.id)
    const at = app.context.now()
    await app.context.db
      .update(users)
      .set({ disabledAt: at, erasedAt: at })
      .where(inArray(users.id, [erased.id, banned.id]))
    const { status, body, text } = await ban(hopper.token, erased.id)
    expect([status, body.error.code]).toEqual([404, 'user_not_found'])
    expect(text).not.toContain('"erased"')
    expect(await bansOf(hopper.token)).toMatchObject([{ blocked_user: null }])
  })
})

test('bans are listed newest first, in pages', async () => {
  const euler = await owner('euler')
  const names = ['one', 'two', 'three'].map((name) => `victim_${name}`)
  for (const name of names) await ban(euler.token, (await app.user(name)).id)
  const listed: string[] = []
  for (let path = '/v1/moderation/bans?limit=2'; path; ) {
    const { body, headers } = await app.request(`GET ${path}`, { token: euler.token })
    listed.push(...body.data.map((one: { blocked_user: { username: string } }) => one.blocked_user.username))
    path = /<(.+)>/.exec(headers.get('link') ?? '')?.[1] ?? ''
  }
  expect(listed).toEqual(names.toReversed())
})
