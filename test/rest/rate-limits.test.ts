import { afterAll, expect, test } from 'vitest'
import { unlimitedCounters } from '../../src/counters/counters.ts'
import { rateLimits } from '../../src/domain/core/rate-limits.ts'
import { transact } from '../../src/domain/core/transaction.ts'
import { createTestApp } from '../support/app.ts'

const app = await createTestApp()
afterAll(() => app[Symbol.asyncDispose]())

const fields = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy', 'RateLimit']
const limitHeaders = ({ headers }: { headers: Headers }) => fields.map((name) => headers.get(name))
const POLICY = '"default";q=800;w=60'

/** That a credential has so many requests left in its window, which ends in a minute at most. */
function expectStanding(answer: { headers: Headers }, left: number) {
  const resetS = answer.headers.get('ratelimit-reset')
  expect(Number(resetS)).toSatisfy((seconds) => seconds > 0 && seconds <= 60)
  expect(limitHeaders(answer)).toEqual(['800', String(left), resetS, POLICY, `"default";r=${left};t=${resetS}`])
}

test('every answer to a valid credential tells where it stands, refusals too', async () => {
  const token = await app.token(['category:read'])
  const routes = ['GET /v1/categories/', 'GET /v1/categories/?limit=0', 'GET /v1/categories/nope']
  for (const [n, route] of routes.entries()) expectStanding(await app.request(route, { token }), 799 - n)
  expectStanding(await app.request('GET /v1/users/me', { token }), 797)
  expect(limitHeaders(await app.request('GET /v1/categories/'))).toEqual(fields.map(() => null))
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

test('a refusal by another limit than that of the credential tells of both, and the numbers are those of the one that refused', async () => {
  await app.user('room')
  const token = await app.token(['chat:write'], { user: await app.user('talker') })
  const say = () => app.request('POST /v1/chat/messages', { token, body: { room_name: 'room', content: 'hi' } })
  for (let sent = 0; sent < 20; sent++) await say()
  const refused = await say()
  expect(refused.status).toBe(429)
  const waitS = refused.headers.get('retry-after')
  expect(limitHeaders(refused)).toEqual([
    '20',
    '0',
    waitS,
    `${POLICY}, "chat";q=20;w=30`,
    expect.stringMatching(new RegExp(`^"default";r=779;t=\\d+, "chat";r=0;t=${waitS}$`)),
  ])
})

test('limits can be switched off for a load test', async () => {
  await using unlimited = await createTestApp({ counters: unlimitedCounters })
  const token = await unlimited.token(['category:read'])
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => unlimited.request('GET /v1/categories/', { token })),
  )
  expect(answers.every(({ status }) => status === 200)).toBe(true)
})

test('in a transaction nothing is counted: it would wait for Redis, and others for it', async () => {
  const counting = transact(app.context, (tx) => tx.counters.take(rateLimits.chat, 'x'))
  await expect(counting).rejects.toThrow('waits for no network')
})
