import { sql } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { makePartitions } from '../../src/db/partitions.ts'
import { applicationMembers } from '../../src/db/schema/index.ts'
import { listOwnAudit } from '../../src/domain/accounts/audit-log.ts'
import { createApplication } from '../../src/domain/applications/applications.ts'
import { searchOwn } from '../../src/domain/applications/search/search.ts'
import { newId } from '../../src/domain/core/ids.ts'
import { FairTurns } from '../../src/domain/core/turns/fair-turns.ts'
import { listRequests } from '../../src/domain/requests/list.ts'
import { writeRequestLog } from '../../src/domain/requests/write.ts'
import { getUsage } from '../../src/domain/usage/read.ts'
import { listDeliveries } from '../../src/domain/webhooks/deliveries/ledger.ts'
import { createTestContext } from '../support/context.ts'

const test_ = await createTestContext()
afterAll(() => test_[Symbol.asyncDispose]())
const { context, clock } = test_
await makePartitions(context.db, clock.at)

const rate = { limit: 800, remaining: 1, resetS: 1, exceeded: false }

async function developer(username: string) {
  const { id: userId } = await test_.user(username)
  const principal = { kind: 'user', userId, username, clientId: null, scopes: [] } as const
  const as = { ...context, principal }
  const redirects = { redirect_uris: ['http://127.0.0.1/callback'] }
  const { id } = await createApplication(as, { name: `Of ${username}`, confidential: true, ...redirects })
  return { as, application_id: id }
}

/** Failures as one application leaves them within hours. */
async function fillLog(clientId: string, rows: number): Promise<void> {
  const id = newId('request', clock.at)
  await context.slow.execute(sql`
    insert into request_log (id, client_id, request_id, operation, status, code, message, duration_ms, sent)
    select ${id.slice(0, 14)} || lpad(n::text, 16, '0'), ${clientId}, 'asked-' || n, 'GET /v1/channels/{slug}', 404,
           'channel_not_found', 'No channel has this slug.', 1, repeat('x', 600)
      from generate_series(1, ${rows}) n`)
}

test('one person who has the request log searched 240 times at once keeps nobody else waiting, nor what the process writes', async () => {
  const [loud, quiet] = [await developer('loud'), await developer('quiet')]
  await fillLog(loud.application_id, 20_000)
  const asked = (text: string) => listRequests(loud.as, { application_id: loud.application_id, limit: 5, text })
  const flood = Promise.allSettled(Array.from({ length: 240 }, (_, n) => asked(`nothing ${n}`)))
  const begun = performance.now()
  context.requests.note(
    { id: 'r', address: '127.0.0.1', credential: { clientId: quiet.application_id, rate } },
    'GET /v1/channels/',
    500,
    1,
  )
  const mine = { application_id: quiet.application_id, limit: 5 }
  await writeRequestLog(context)
  expect(await searchOwn(quiet.as, { text: 'of quiet' })).toHaveLength(1)
  await listRequests(quiet.as, { ...mine, text: 'nothing' })
  await listDeliveries(quiet.as, { ...mine, text: 'nothing' })
  await listOwnAudit(quiet.as, { limit: 5 })
  await getUsage(quiet.as, { application_id: quiet.application_id, span: 'day' })
  const tookMs = performance.now() - begun
  const ended = await flood
  const refusals = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(refusals.length).toBeGreaterThanOrEqual(240 - 21)
  expect(refusals.map(({ code, details }) => [code, details.retryAfterS])).toEqual(
    refusals.map(() => ['rate_limited', 1]),
  )
  expect(tookMs).toBeLessThan(4_000)
  expect(await asked('again')).toMatchObject({ items: [] })
}, 60_000)

test('many members of one application who search its log keep nobody else waiting, not even its owner', async () => {
  const [owner, quiet] = [await developer('owner'), await developer('bystander')]
  await fillLog(owner.application_id, 20_000)
  const members = await Promise.all(Array.from({ length: 24 }, (_, n) => test_.user(`member_${n}`)))
  const joined = { clientId: owner.application_id, role: 'viewer', joinedAt: clock.at } as const
  await context.db.insert(applicationMembers).values(members.map(({ id: userId }) => ({ ...joined, userId })))
  const isOver = { now: false }
  const flood = members.flatMap(({ id: userId }, n) =>
    [0, 1].map(async (k) => {
      const principal = { kind: 'user', userId, username: `member_${n}`, clientId: null, scopes: [] } as const
      const as = { ...context, principal, role: 'viewer' } as const
      const asked = { application_id: owner.application_id, limit: 5, text: `nothing ${k}` }
      while (!isOver.now) await listRequests(as, asked).catch(() => {})
    }),
  )
  await new Promise((resolve) => setTimeout(resolve, 300))
  const tookMs: number[] = []
  for (const { as, application_id } of [quiet, owner, quiet, owner]) {
    const begun = performance.now()
    await searchOwn(as, { text: 'of' })
    await listRequests(as, { application_id, limit: 5, text: 'nothing' })
    tookMs.push(performance.now() - begun)
  }
  isOver.now = true
  await Promise.all(flood)
  expect(Math.max(...tookMs)).toBeLessThan(1_000)
}, 60_000)

const held = () => {
  let letGo = () => {}
  const until = new Promise<void>((resolve) => {
    letGo = resolve
  })
  return { until, letGo }
}

test('of each owner one runs at a time, and owners take turns, however much one of them asks for', async () => {
  const turns = new FairTurns({ places: 2, waitingMax: 20 })
  const order: string[] = []
  const { until, letGo } = held()
  let running = 0
  let most = 0
  const ask = (owner: string, n: number) =>
    turns.take(owner, { waitMs: 1_000 }, async () => {
      most = Math.max(most, ++running)
      order.push(`${owner}${n}`)
      await until
      await new Promise(setImmediate)
      running--
    })
  const asked = [
    ...Array.from({ length: 5 }, (_, n) => ask('a', n)),
    ask('b', 0),
    ask('c', 0),
    ask('d', 0),
    ask('c', 1),
  ]
  expect(order).toEqual(['a0', 'b0'])
  letGo()
  await Promise.all(asked)
  expect(most).toBe(2)
  expect(order.toSorted()).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'b0', 'c0', 'c1', 'd0'])
  const after = (one: string) => order.slice(0, order.indexOf(one)).filter((other) => other.startsWith('a')).length
  expect([after('c0'), after('d0')].every((n) => n <= 2)).toBe(true)
})

test('who has used little begins before all who have used much, however many of them wait already', async () => {
  const turns = new FairTurns({ places: 1, waitingMax: 20 })
  const order: string[] = []
  const ask = (owner: string) =>
    turns.take(owner, { waitMs: 10_000 }, async () => {
      order.push(owner)
      const until = performance.now() + 20
      while (performance.now() < until) await new Promise(setImmediate)
    })
  const owners = Array.from({ length: 8 }, (_, n) => `loud ${n}`)
  await Promise.all(owners.map(ask))
  const again = owners.map(ask)
  order.length = 0
  await Promise.all([...again, ask('quiet')])
  expect(order.toSorted()).toEqual([...owners.slice(1), 'quiet'])
  expect(order[0]).toBe('quiet')
})

test('what was refused is never begun: it waited too long, or too much of its owner waits', async () => {
  const turns = new FairTurns({ places: 1, waitingMax: 2 })
  const { until, letGo } = held()
  const first = turns.take('a', { waitMs: 10 }, () => until)
  let isBegun = false
  const work = async () => {
    isBegun = true
  }
  const others = [
    turns.take('a', { waitMs: 10 }, work),
    turns.take('a', { waitMs: 10 }, work),
    turns.take('a', { waitMs: 10 }, work),
    turns.take('b', { waitMs: 10 }, work),
  ]
  const codes = (await Promise.allSettled(others)).map((one) => one.status === 'rejected' && one.reason.code)
  expect(codes).toEqual(['rate_limited', 'rate_limited', 'rate_limited', 'unavailable'])
  letGo()
  await first
  expect(isBegun).toBe(false)
  await expect(turns.take('b', { waitMs: 10 }, async () => 'again')).resolves.toBe('again')
})

test('work that fails gives its turn on', async () => {
  const turns = new FairTurns({ places: 1, waitingMax: 2 })
  const failing = turns.take('a', { waitMs: 1_000 }, () => Promise.reject(new Error('lost')))
  const next = turns.take('a', { waitMs: 1_000 }, async () => 'done')
  await expect(failing).rejects.toThrow('lost')
  await expect(next).resolves.toBe('done')
})
