import { setTimeout as after } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { createDistantDatabase } from '../support/distant-database.ts'

test('a database that goes away is 503 in the envelope, and its return ends that without a restart', async () => {
  await using distant = await createDistantDatabase()
  const { proxy, pools } = distant
  await using app = await createTestApp({ db: pools.db, slow: pools.slow, replica: pools.replica })
  const token = await app.token(['channel:read', 'chat:write'], { user: await app.user('ada') })
  const message = { token, body: { room_name: 'ada', content: 'hello' } }
  const asked = () =>
    Promise.all([
      app.request('GET /v1/channels/ada', { token }),
      app.request('POST /v1/chat/messages', message),
      app.request('POST /v1/chat/messages', { ...message, headers: { 'idempotency-key': 'once' } }),
      app.request('GET /health/ready'),
      app.request('GET /trpc/channels.list?input=%7B%7D', { token }),
    ])
  const isWell = async () => (await asked()).map(({ status }) => status).join() === '200,201,201,200,200'
  await looksUntil(isWell) // connections have to be opened first
  const answers = (route: string, status: number) =>
    looksUntil(async () => (await app.request(route, { token })).status === status)
  await proxy.takeAway()
  expect(await answers('GET /health/ready', 503)).toBeLessThan(LOOKS_MOST)
  const refused = await asked()
  expect(refused.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503])
  for (const { body, headers } of refused.slice(0, 4)) {
    expect(body).toEqual({ error: { code: 'unavailable', message: expect.any(String) } })
    expect(headers.get('retry-after')).toBe('1')
  }
  expect((await app.request('GET /health/')).status).toBe(200)

  await proxy.giveBack()
  expect(await answers('GET /v1/channels/ada', 200)).toBeLessThan(LOOKS_MOST)
  expect(await answers('GET /health/ready', 200)).toBeLessThan(LOOKS_MOST)
  expect(await looksUntil(isWell)).toBeLessThan(LOOKS_MOST)
})

/** A second and a half of this process, which shares its pace with the service: readiness is asked for once a second. */
const LOOKS_MOST = 75
const LOOK_EVERY_MS = 20

/** How often one had to look until it was so. */
async function looksUntil(isSo: () => Promise<boolean>): Promise<number> {
  for (let looks = 1; ; looks++) {
    if (await isSo()) return looks
    await after(LOOK_EVERY_MS)
  }
}

/** Many callers, each on its way while the others still wait; returns the status and the time of each. */
async function ask(request: () => Promise<{ status: number; headers: Headers }>, { callers = 200, everyMs = 10 } = {}) {
  const asked: Promise<{ status: number; retryAfter: string | null; tookMs: number }>[] = []
  for (let n = 0; n < callers; n++) {
    const begun = performance.now()
    asked.push(
      request().then(({ status, headers }) => ({
        status,
        retryAfter: headers.get('retry-after'),
        tookMs: performance.now() - begun,
      })),
    )
    await after(everyMs)
  }
  return Promise.all(asked)
}

const refused = { status: 503, retryAfter: '1', tookMs: expect.any(Number) }
const latest = (answers: { tookMs: number }[]) => Math.max(...answers.map(({ tookMs }) => tookMs))

test('a hundred callers a second into a dead database: each is told so at once, and soon after its return all is well', async () => {
  await using distant = await createDistantDatabase()
  const { proxy, pools } = distant
  await using app = await createTestApp({ db: pools.db, slow: pools.slow, replica: pools.replica })
  const token = await app.token(['channel:read', 'chat:write'], { user: await app.user('ada') })
  const requests = [
    () => app.request('GET /v1/channels/ada', { token }),
    () => app.request('POST /v1/chat/messages', { token, body: { room_name: 'ada', content: 'hello' } }),
    () => app.request('GET /trpc/channels.list?input=%7B%7D', { token }),
  ]
  let turn = 0
  const next = () => (requests[turn++ % requests.length] as (typeof requests)[0])()
  await ask(next, { callers: 12 })

  await proxy.takeAway()
  const answers = await ask(next)
  expect(answers).toEqual(answers.map(() => refused))
  expect(latest(answers)).toBeLessThan(2_000)

  await proxy.giveBack()
  const isBack = async () => (await app.request('GET /v1/channels/ada', { token })).status === 200
  expect(await looksUntil(isBack)).toBeLessThan(LOOKS_MOST / 3)
  expect((await ask(next, { callers: 12 })).filter(({ status }) => status >= 300)).toEqual([])
})

test('a database that is silent: every caller has an answer within ten seconds, also while credentials are looked up', async () => {
  await using distant = await createDistantDatabase()
  const { proxy, pools, lines } = distant
  await using app = await createTestApp({ db: pools.db, slow: pools.slow, replica: pools.replica })
  const token = await app.token(['channel:read'], { user: await app.user('ada') })
  await app.request('GET /v1/channels/ada', { token })
  proxy.swallow()
  const rest = ask(() => app.request('GET /v1/channels/ada', { token }), { callers: 80, everyMs: 100 })
  const typed = ask(() => app.request('GET /trpc/channels.list?input=%7B%7D', { token }), { callers: 80, everyMs: 100 })
  const [untyped, ...others] = await Promise.all([rest, typed])
  const answers = [untyped, ...others].flat()
  expect(answers).toEqual(answers.map(() => refused))
  expect(latest(answers)).toBeLessThan(10_000)
  expect(
    untyped.slice(-3).every(({ tookMs }) => tookMs < 2_000),
    'it is known by then',
  ).toBe(true)
  expect(lines.filter(({ msg }) => msg !== 'Slow statement')).toMatchObject([
    { msg: 'Database connection lost', reason: expect.stringContaining('it has said nothing for 6000 ms') },
  ])
}, 40_000)
