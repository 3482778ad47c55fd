import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { memoryCounters } from '../../src/counters/counters.ts'
import { openPools } from '../../src/db/pools.ts'
import * as schema from '../../src/db/schema/index.ts'
import { rateLimits } from '../../src/domain/core/rate-limits.ts'
import { createTestApp } from '../support/app.ts'
import { serve } from '../webhooks/support/serve.ts'

const limit = rateLimits.chatOwner
const counters = memoryCounters()
/** What was asked for of the limit. */
const asked = { places: 0 }
const app = await createTestApp({
  counters: {
    ...counters,
    take: (of, key) => {
      if (of === limit) asked.places++
      return counters.take(of, key)
    },
  },
})
/** Another process on the same database and counters, with connections and turns of its own. */
const pools = openPools(app.target)
const other = await serve({ ...app.context, db: pools.db, slow: pools.slow, replica: pools.slow })
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await pools[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

let alice: Awaited<ReturnType<typeof app.user>>
let token: string
let users = 0
beforeEach(async () => {
  alice = await app.user(`alice${users++}`)
  token = await app.token(['chat:write'], { user: alice })
  asked.places = 0
})

const key = () => `${alice.id} ${alice.username}`
const left = async () => (await counters.peek(limit, key())).remaining
const leaveOnePlace = async () => {
  while ((await left()) > 1) await counters.take(limit, key())
}
const sendTo = async (base: string, idempotencyKey: string, content = 'hello') => {
  const response = await fetch(`${base}/v1/chat/messages`, {
    method: 'POST',
    body: new URLSearchParams({ room_name: alice.username, content }),
    headers: { authorization: `Bearer ${token}`, 'idempotency-key': idempotencyKey },
  })
  return `${response.status} ${await response.text()}`
}
const sent = () => app.context.db.$count(schema.chatMessages, sql`channel_id = ${alice.id}`)

/** Sends what `ask` sends while nobody can write to the channel, until so many transactions wait for that or for each other. */
async function whileHeld(ask: () => Promise<string>[], waiting: number): Promise<string[]> {
  const answers = await app.context.slow.transaction(async (tx) => {
    await tx.execute(sql`select from channel_sequences where channel_id = ${alice.id} for update`)
    const all = ask()
    const atLock = async () => {
      const rows = await app.context.slow.execute(sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)
      return rows.length
    }
    await expect.poll(atLock).toBe(waiting)
    return [all] // as an item, for what is returned itself would be waited for
  })
  return Promise.all(answers.flat())
}

test('copies ask for no place, whether they come together or later', async () => {
  await Promise.all(Array.from({ length: 6 }, () => sendTo(app.base, 'one')))
  await sendTo(app.base, 'one')
  expect([asked.places, await left(), await sent()]).toEqual([1, limit.points - 1, 1])
})

test('at the last place copies get the answer of the first, while another message is one too many', async () => {
  await sendTo(app.base, 'before')
  await leaveOnePlace()
  const copies = () => Array.from({ length: 6 }, () => sendTo(app.base, 'last'))
  const answers = await whileHeld(() => {
    const others = expect
      .poll(left)
      .toBe(0)
      .then(() => sendTo(app.base, 'another'))
    return [...copies(), others]
  }, 1)
  const another = answers.pop()
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toMatch(/^201 /)
  expect(another).toMatch(/^429 .*"rate_limited"/)
  expect(await sendTo(app.base, 'last')).toBe(answers[0])
  expect(await sent()).toBe(2)
})

test('so do those that another process is asked for', async () => {
  await sendTo(app.base, 'before')
  await leaveOnePlace()
  const answers = await whileHeld(() => {
    const first = sendTo(app.base, 'last')
    const copies = expect
      .poll(left)
      .toBe(0)
      .then(() => Promise.all([sendTo(other.base, 'last'), sendTo(other.base, 'last')]))
    return [first, copies.then(String)]
  }, 2)
  const [first = ''] = answers
  expect(first).toMatch(/^201 /)
  expect(answers[1]).toBe(`${first},${first}`)
  expect([await left(), await sent()]).toEqual([0, 2])
})

test('a message that was one too many leaves its key free', async () => {
  await leaveOnePlace()
  expect(await sendTo(app.base, 'taken')).toMatch(/^201 /)
  expect(await sendTo(app.base, 'free')).toMatch(/^429 /)
  expect(await app.context.db.$count(schema.idempotencyKeys, sql`key = 'free'`)).toBe(0)
})
