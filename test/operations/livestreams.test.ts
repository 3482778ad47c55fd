import { eq } from 'drizzle-orm'
import { afterAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { categories, events } from '../../src/db/schema/index.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())
const reader = await app.token(['livestream:read', 'channel:read'])
await app.context.db
  .insert(categories)
  .values({ id: newId('category', app.context.now()), slug: 'software', label: 'Software' })

async function streamer(username: string) {
  const user = await app.user(username)
  const credential = await app.token(['livestream:write'], { user })
  const { livestreams } = createClient({ baseUrl: app.base, credential })
  return { user, livestreams }
}
const read = async (path: string) => (await app.request(`GET ${path}`, { token: reader })).body

describe('going live', () => {
  test('shows on the next read, in the list, by identifier and as is_live', async () => {
    const { user, livestreams } = await streamer('ada')
    expect((await read('/v1/channels/ada')).data.is_live).toBe(false)

    const started = await livestreams.start.mutate({ title: 'A compiler', category: 'software' })
    expect(started).toEqual({
      id: expect.stringMatching(/^str_/),
      title: 'A compiler',
      category: 'software',
      thumbnail_url: null,
      channel: { id: user.id, username: 'ada' },
      updated_at: expect.stringMatching(/^2026-01-02T03:04:\d\d\.\d{3}Z$/),
    })
    expect((await read('/v1/channels/ada')).data.is_live).toBe(true)
    expect((await read(`/v1/livestreams/${started.id}`)).data).toEqual(started)
    expect((await read(`/v1/livestreams/?broadcaster_user_id=${user.id}`)).data).toEqual([started])

    expect(await livestreams.end.mutate({})).toEqual({ ended: true })
    expect((await read('/v1/channels/ada')).data.is_live).toBe(false)
    expect((await read(`/v1/livestreams/${started.id}`)).error.code).toBe('livestream_not_found')
    expect(await livestreams.end.mutate({})).toEqual({ ended: false })
  })

  test('twenty times at once makes one live stream', async () => {
    const { user, livestreams } = await streamer('bell')
    const starts = await Promise.allSettled(Array.from({ length: 20 }, () => livestreams.start.mutate({})))
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(starts.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { data: { httpStatus: 409, problem: { code: 'already_live' } } },
    })
    expect((await read(`/v1/livestreams/?broadcaster_user_id=${user.id}`)).data).toHaveLength(1)
  })

  test('an unknown category is refused and nothing starts', async () => {
    const { user, livestreams } = await streamer('curie')
    await expect(livestreams.start.mutate({ category: 'nope' })).rejects.toMatchObject({
      data: { problem: { code: 'category_not_found', message: expect.stringMatching(/^category:/) } },
    })
    expect((await read(`/v1/livestreams/?broadcaster_user_id=${user.id}`)).data).toEqual([])
  })
})

describe('changing', () => {
  test('moves updated_at, keeps what is left out, and an empty title is null', async () => {
    const { livestreams } = await streamer('dijkstra')
    await expect(livestreams.update.mutate({ title: 'x' })).rejects.toMatchObject({
      data: { problem: { code: 'livestream_not_found' } },
    })
    const started = await livestreams.start.mutate({ title: 'One', category: 'software' })
    const renamed = await livestreams.update.mutate({ title: 'Two' })
    expect(renamed).toEqual({ ...started, title: 'Two', updated_at: renamed.updated_at })
    expect(renamed.updated_at > started.updated_at).toBe(true)
    expect(await livestreams.update.mutate({ title: '', category: null })).toMatchObject({
      title: null,
      category: null,
    })
  })

  test('to what is so already sends no event and leaves updated_at', async () => {
    const { user, livestreams } = await streamer('euler')
    const sent = async () =>
      (await app.context.db.select().from(events).where(eq(events.channelId, user.id))).map(({ type }) => type)
    const started = await livestreams.start.mutate({ title: 'One', category: 'software' })
    for (const same of [{}, { title: 'One' }, { category: 'software' }, { title: 'One', category: 'software' }]) {
      expect(await livestreams.update.mutate(same)).toEqual(started)
    }
    expect(await sent()).toEqual(['livestream.started'])
    const bare = await livestreams.update.mutate({ title: '', category: null })
    expect(await livestreams.update.mutate({ title: null, category: '' })).toEqual(bare)
    expect(await sent()).toEqual(['livestream.started', 'livestream.updated'])
  })

  test.each([
    ['title', { title: 'x'.repeat(141) }],
    ['title', { title: 'a\0b' }],
  ])('a %s that cannot be is named', async (field, input) => {
    const { livestreams } = await streamer(`user_${Math.random().toString(36).slice(2, 10)}`)
    await expect(livestreams.start.mutate(input)).rejects.toMatchObject({
      data: { httpStatus: 400, problem: { message: expect.stringMatching(new RegExp(`^${field}:`)) } },
    })
  })
})

test('the list shows the one that changed last first, in pages', async () => {
  const changed: string[] = []
  for (const username of ['first', 'second', 'third']) {
    const { livestreams } = await streamer(username)
    changed.unshift((await livestreams.start.mutate({})).id)
  }
  const whole = (await read('/v1/livestreams/')).data.map(({ id }: { id: string }) => id)
  expect(whole.slice(0, 3)).toEqual(changed)

  const walked: string[] = []
  for (let path = '/v1/livestreams/?limit=2'; path; ) {
    const { body, headers } = await app.request(`GET ${path}`, { token: reader })
    walked.push(...body.data.map(({ id }: { id: string }) => id))
    path = /<(.+)>/.exec(headers.get('link') ?? '')?.[1] ?? ''
  }
  expect(walked).toEqual(whole)
})
