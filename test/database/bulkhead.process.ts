import { setTimeout as after } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import { blockedTexts } from '../../src/db/blocked-texts.ts'
import { Bulkhead } from '../../src/db/bulkhead.ts'
import { connect } from '../../src/db/client.ts'
import { isUnavailable } from '../../src/db/db-error.ts'
import { endClient, openPools } from '../../src/db/pools.ts'
import { statement } from '../../src/db/statement.ts'
import { createTestDatabase } from '../support/database.ts'

const readChat = statement<[], object>('select id from chat_messages limit 1')
const countChat = statement<[], object>('select count(*) from chat_messages')
const writeChat = statement<[string], object>(
  `insert into chat_messages (id, channel_id, user_id, user_name, content, created_at) select $1, '', '', '', '', now() where false`,
)
const readUsers = statement<[], object>('select id from users limit 1')

test('a locked table takes nothing with it that does not touch it, and all is well when it is let go', async () => {
  await using database = await createTestDatabase()
  const changes: (readonly string[])[] = []
  await using pools = openPools(database.target, { onBulkhead: (texts) => changes.push(texts) })
  await readUsers(pools.db)
  const outcomes: unknown[] = []
  const tookMs: number[] = []
  await database.slow.transaction(async (tx) => {
    await tx.execute(sql`lock table chat_messages in access exclusive mode`)
    const touching: Promise<unknown>[] = []
    const others: Promise<unknown>[] = []
    for (let round = 0; round < 250; round++) {
      for (const touch of [readChat, countChat, (db: typeof pools.db) => writeChat(db, 'msg_1')]) {
        touching.push(touch(pools.db).catch((error: unknown) => outcomes.push(error)))
      }
      const begun = performance.now()
      others.push(readUsers(pools.db).then(() => tookMs.push(performance.now() - begun)))
      await after(8)
    }
    await Promise.all(others) // none of them fails
    expect(tookMs).toHaveLength(250)
    expect(Math.max(...tookMs)).toBeLessThan(2_000)
    expect(
      tookMs.slice(-60).filter((ms) => ms > 300),
      'its share is known by then',
    ).toEqual([])
    expect(outcomes.filter((error) => !isUnavailable(error))).toEqual([])
    expect(outcomes.length).toBeGreaterThan(500)
    void Promise.all(touching)
  })
  const letGoAt = performance.now()
  await expect.poll(() => changes.at(-1), { interval: 20 }).toEqual([])
  expect(performance.now() - letGoAt).toBeLessThan(1_500)
  expect(changes).toHaveLength(2)
  expect(changes[0]?.every((text) => text.includes('chat_messages'))).toBe(true)
  await Promise.all(Array.from({ length: 200 }, () => readChat(pools.db)))
})

/** A pool of four connections, each of which runs a statement that never ends, with another text behind one of them. */
function createHeldPool() {
  const asked = (text: string) => ({ strings: [text], args: [] as string[] })
  const other = asked('other')
  const interrupted: number[] = []
  const connections = [0, 1, 2, 3].map((n) => ({
    current: asked('long') as ReturnType<typeof asked> | null,
    sent: { some: (which: (one: typeof other) => boolean) => n === 0 && which(other) },
    interrupt: () => void interrupted.push(n),
  }))
  const pulse = () => ({ isWaiting: connections.some(({ current }) => current !== null) })
  const pool = { pulse, connections, queued: { some: () => false }, hold: vi.fn(), refuse: vi.fn() }
  return { pool, interrupted }
}

/** Asks which statements are blocked, and is answered when the test says so. */
function createHeldProbe(blocked: string[]) {
  let answer = () => {}
  const probe = () =>
    new Promise<string[]>((resolve) => {
      answer = () => resolve(blocked)
    })
  return { probe, answer: () => answer() }
}

test('a database that does not answer at all is not taken for a statement that takes long', async () => {
  vi.useFakeTimers()
  const { pool, interrupted } = createHeldPool()
  const { probe, answer } = createHeldProbe([])
  using bulkhead = new Bulkhead({ pool, share: 2, probe })
  bulkhead.enter('long')
  await vi.advanceTimersByTimeAsync(5_000)
  expect([bulkhead.enter('long'), interrupted]).toEqual([undefined, []])
  answer()
  await vi.advanceTimersByTimeAsync(0)
  expect(bulkhead.enter('long')).toMatchObject({ code: 'BULKHEAD_FULL' })
  expect(bulkhead.enter('other')).toBeUndefined()
  expect(interrupted, 'that behind which others wait, and what is more than the share').toEqual([0, 3])
  vi.useRealTimers()
})

test('statements of one text may hold all connections while nobody else wants one', async () => {
  vi.useFakeTimers()
  const { pool, interrupted } = createHeldPool()
  const alone = { ...pool, connections: pool.connections.slice(1) }
  using bulkhead = new Bulkhead({ pool: alone, share: 2, probe: async () => ['long'] })
  bulkhead.enter('long')
  await vi.advanceTimersByTimeAsync(5_000)
  expect([bulkhead.enter('long'), interrupted]).toEqual([undefined, []])
  vi.useRealTimers()
})

test('when rows that are locked become more, and others wait for that, their text as a whole has its share', async () => {
  vi.useFakeTimers()
  const { pool } = createHeldPool()
  const hold = (...rows: string[]) => {
    for (const [n, row] of rows.entries())
      Object.assign(pool.connections[n] ?? {}, { current: { strings: ['long'], args: [row] } })
  }
  hold('a', 'a', 'a', 'a')
  const onChange = vi.fn()
  using bulkhead = new Bulkhead({ pool, share: 2, probe: async () => [], onChange })
  bulkhead.enter('long', 'a')
  await vi.advanceTimersByTimeAsync(1_500)
  expect(bulkhead.enter('long', 'a')).toMatchObject({ code: 'BULKHEAD_FULL' })
  expect(bulkhead.enter('long', 'b')).toBeUndefined()
  hold('a', 'a', 'b', 'c')
  const [first] = pool.connections
  const { sent: behind } = first ?? {}
  Object.assign(first ?? {}, { sent: { some: () => false } })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(bulkhead.enter('long', 'd'), 'nobody waits for them').toBeUndefined()
  hold('a', 'a', 'c', 'b')
  Object.assign(first ?? {}, { sent: behind })
  await vi.advanceTimersByTimeAsync(900)
  expect(bulkhead.enter('long', 'd')).toBeUndefined()
  await vi.advanceTimersByTimeAsync(300)
  expect(bulkhead.enter('long', 'd')).toMatchObject({ code: 'BULKHEAD_FULL' })
  expect(onChange.mock.calls).toEqual([[['long']]])
  vi.useRealTimers()
})

test.each([
  ['a locked table', ['lo'], 380, 420],
  ['a disk that stalls, or a row that others hold', ['select 1'], 1_080, 1_120],
])('what waits for %s has its share alone after its time', async (_, blocked, silentMs, barredMs) => {
  vi.useFakeTimers()
  const { pool } = createHeldPool()
  using bulkhead = new Bulkhead({ pool, share: 2, probe: async () => blocked })
  bulkhead.enter('long')
  await vi.advanceTimersByTimeAsync(silentMs)
  expect(bulkhead.enter('long')).toBeUndefined()
  await vi.advanceTimersByTimeAsync(barredMs - silentMs)
  expect(bulkhead.enter('long')).toMatchObject({ code: 'BULKHEAD_FULL' })
  vi.useRealTimers()
})

test('where nothing is asked nobody looks, and a statement that is sent late is seen', async () => {
  vi.useFakeTimers()
  const { pool } = createHeldPool()
  const pulse = vi.fn(() => ({ isWaiting: false }))
  const [one] = pool.connections
  const connections = [
    {
      ...one,
      current: null as null | { strings: string[]; args: string[] },
      sent: { some: () => false },
      interrupt() {},
    },
  ]
  using bulkhead = new Bulkhead({ pool: { ...pool, connections, pulse }, share: 2, probe: async () => [] })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(pulse).not.toHaveBeenCalled()
  bulkhead.enter('short')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(pulse, 'it has ended').toHaveBeenCalledOnce()

  pulse.mockReturnValue({ isWaiting: true }) // while a connection is opened
  bulkhead.enter('long')
  await vi.advanceTimersByTimeAsync(2_000)
  Object.assign(connections[0] ?? {}, { current: { strings: ['long'], args: [] } })
  expect(pool.hold).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(100)
  expect(pool.hold).toHaveBeenCalledOnce()
  vi.useRealTimers()
})

test('while statements wait to be sent it looks on, for nobody says when they are; when it is closed nobody looks any more', async () => {
  vi.useFakeTimers()
  const { pool } = createHeldPool()
  const pulse = vi.fn(() => ({ isWaiting: false }))
  const queued = { some: () => true }
  const bulkhead = new Bulkhead({ pool: { ...pool, connections: [], queued, pulse }, share: 2, probe: async () => [] })
  bulkhead.enter('queued')
  await vi.advanceTimersByTimeAsync(100 + 10 * 20)
  expect(pulse).toHaveBeenCalledTimes(11)
  bulkhead[Symbol.dispose]()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(pulse).toHaveBeenCalledTimes(11)
  const resting = new Bulkhead({ pool: { ...pool, connections: [], pulse }, share: 2, probe: async () => [] })
  resting[Symbol.dispose]()
  resting.enter('late')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(pulse).toHaveBeenCalledTimes(11)
  vi.useRealTimers()
})

test('who is asked as it is closed changes nothing', async () => {
  vi.useFakeTimers()
  const { pool, interrupted } = createHeldPool()
  const { probe, answer } = createHeldProbe(['long'])
  const onChange = vi.fn()
  const bulkhead = new Bulkhead({ pool, share: 2, probe, onChange })
  bulkhead.enter('long')
  await vi.advanceTimersByTimeAsync(1_000)
  bulkhead[Symbol.dispose]()
  answer()
  await vi.advanceTimersByTimeAsync(1_000)
  expect([onChange.mock.calls, interrupted]).toEqual([[], []])
  vi.useRealTimers()
})

test('who waits for a table is told from who waits for a row', async () => {
  await using database = await createTestDatabase()
  const client = connect(database.target, { max: 4 })
  const waiting: Promise<unknown>[] = []
  const waits = (event: string) =>
    client`select from pg_stat_activity where datname = current_database() and wait_event = ${event}`
  await client`insert into categories (id, slug, label, sort_order) values ('cat_1', 'a', 'A', 1)`
  await client.begin(async (tx) => {
    await tx`lock table chat_messages in access exclusive mode`
    await tx`update categories set label = 'B'`
    waiting.push(readChat(database.db), client`update categories set label = 'C'`.execute())
    await expect.poll(async () => [...(await waits('relation')), ...(await waits('transactionid'))]).toHaveLength(2)
    expect(await blockedTexts(client)).toEqual(['select id from chat_messages limit 1'])
  })
  await Promise.all(waiting)
  await endClient(client)
})
