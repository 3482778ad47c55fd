import { afterAll, expect, test } from 'vitest'
import { unlimitedCounters } from '../../src/counters/counters.ts'
import { rateLimits } from '../../src/domain/core/rate-limits.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())

const figures = ({ headers }: { headers: Headers }) =>
  ['limit', 'remaining', 'reset', 'policy'].map((name) => headers.get(`ratelimit-${name}`))

test('every answer to a valid credential tells where it stands, refusals too', async () => {
  const token = await app.token(['category:read'])
  const seen: (string | null)[][] = []
  for (const route of ['GET /v1/categories/', 'GET /v1/categories/?limit=0', 'GET /v1/categories/nope']) {
    seen.push(figures(await app.request(route, { token })))
  }
  expect(seen).toEqual([799, 798, 797].map((left) => ['800', String(left), '60', '800;w=60']))
  expect(figures(await app.request('GET /v1/users/me', { token }))).toEqual(['800', '797', '60', '800;w=60'])
  expect(figures(await app.request('GET /v1/categories/'))).toEqual([null, null, null, null])
})

test('after 800 requests 429 says when to come back; other credentials are not touched', async () => {
  const token = await app.token(['category:read'])
  // the counter is told of the first 780 directly, which takes no time
  for (let sent = 0; sent < 780; sent++) await app.context.counters.take(rateLimits.credential, token)
  const answers = await Promise.all(Array.from({ length: 30 }, () => app.request('GET /v1/categories/nope', { token })))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(10)
  expect(refused[0]?.body.error.code).toBe('rate_limited')
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual(Array<string>(10).fill('0'))
  const other = await app.request('GET /v1/categories/', { token: await app.token(['category:read']) })
  expect(other.status).toBe(200)
})

test('twenty messages into a room in 30 s, a hundred into one’s own', async () => {
  const [ada, guest] = [await app.user('ada'), await app.user('guest')]
  const say = async (user: { id: string }, messages: number) => {
    const token = await app.token(['chat:write'], { user })
    const sent = Array.from({ length: messages }, () =>
      app.request('POST /v1/chat/messages', { token, body: { room_name: 'ada', content: 'hi' } }),
    )
    return (await Promise.all(sent)).map(({ status }) => status)
  }
  expect((await say(guest, 25)).filter((status) => status === 429)).toHaveLength(5)
  expect((await say(ada, 105)).filter((status) => status === 429)).toHaveLength(5)
})

test('limits can be switched off for a load test', async () => {
  await using unlimited = await createTestApp({ counters: unlimitedCounters })
  const token = await unlimited.token(['category:read'])
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => unlimited.request('GET /v1/categories/', { token })),
  )
  expect(answers.every(({ status }) => status === 200)).toBe(true)
})
