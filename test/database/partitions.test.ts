import { sql } from 'drizzle-orm'
import { afterAll, expect, test, vi } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { lackingPartition } from '../../src/db/db-error.ts'
import { partitionRanges } from '../../src/db/partition-ranges.ts'
import { maintainPartitions, makePartitions, mendPartitions, partitionsUntil } from '../../src/db/partitions.ts'
import { endClient, openPools } from '../../src/db/pools.ts'
import { statement } from '../../src/db/statement.ts'
import { decodeTime, idPrefixAt } from '../../src/db/time-prefix.ts'
import { lowerBound, newId } from '../../src/domain/core/ids.ts'
import { createTestDatabase } from '../support/database.ts'

const database = await createTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

const DAY_MS = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS)
const insertEvent = statement<[id: string], object>(
  `insert into events values ($1, 'usr_1', 1, 'chat.message.sent', now(), '{}')`,
)
const insertAt = (at: Date) => insertEvent(database.db, newId('event', at))

test('bounds are the beginnings of identifiers, in the order of time', () => {
  const at = new Date('2026-01-02T03:04:05.678Z')
  expect(idPrefixAt('evt', at)).toBe(lowerBound('event', at))
  expect(decodeTime(idPrefixAt('evt', at))).toBe(at.getTime())
  expect(idPrefixAt('evt', new Date(at.getTime() + 1)) > newId('event', at)).toBe(true)
  expect(newId('event', at) > idPrefixAt('evt', at)).toBe(true)
})

test('spans meet, months have their own lengths, and both are those of UTC', () => {
  const months = partitionRanges('month', new Date('2027-01-31T23:59:59Z'), new Date('2027-04-01T00:00:00Z'))
  expect(months.map(({ name }) => name)).toEqual(['202701', '202702', '202703', '202704'])
  for (const [i, { from }] of months.slice(1).entries()) expect(from).toEqual(months[i]?.to)
  const [day] = partitionRanges('day', new Date('2026-12-31T23:59:59.999Z'), new Date('2026-12-31T23:59:59.999Z'))
  expect(day).toEqual({ name: '20261231', from: new Date('2026-12-31'), to: new Date('2027-01-01') })
})

test('makes and drops what is due once, also when two begin together, and tells until when there is room', async () => {
  const other = openPools(database.target)
  const runs = await Promise.all([database.slow, other.slow].map((db) => maintainPartitions(db, { ahead: 7 })))
  await other[Symbol.asyncDispose]()
  const made = runs.map((run) => run.made.length).toSorted((a, b) => a - b)
  expect(made[0]).toBe(0)
  expect(made[1]).toBeGreaterThan(0)
  const until = await partitionsUntil(database.db, new Date())
  expect(until > inDays(7)).toBe(true)
  expect(until <= inDays(8)).toBe(true)
  await insertAt(inDays(0))
  await insertAt(inDays(6))
})

test('a row that finds no partition is told apart from one that breaks a rule', async () => {
  const failure = await insertAt(inDays(60)).catch((error: unknown) => error)
  expect(lackingPartition(failure)).toEqual({ table: 'events', id: expect.stringMatching(/^evt_/) })
  const tooLong = database.db.execute(
    sql`insert into events values (${newId('event', new Date())}, 'usr_1', 1, 'x', now(), repeat('x', 65537))`,
  )
  expect(lackingPartition(await tooLong.catch((error: unknown) => error))).toBeUndefined()
})

test('when the hourly run has failed for long, a row makes the partition that it needs', async () => {
  const today = partitionRanges('day', new Date(), new Date()).map(({ name }) => name)
  await database.slow.execute(sql.raw(`drop table events_${today}`))
  await insertAt(new Date())
  const [row] = await database.db.execute<{ rows: number }>(
    sql.raw(`select count(*)::int as rows from events_${today}`),
  )
  expect(row?.rows).toBe(1)
})

test('a thousand rows that find no partition are stored after one making; a row of which none can be made is refused once', async () => {
  const today = partitionRanges('day', new Date(), new Date()).map(({ name }) => name)
  await database.slow.execute(sql.raw(`drop table events_${today}`))
  await Promise.all(Array.from({ length: 1_000 }, () => insertAt(new Date())))
  const failure = await insertAt(inDays(60)).catch((error: unknown) => error)
  expect(await mendPartitions(database.db, failure)).toBe(false)
})

test('a gap among the partitions ahead counts as their end, and is filled, also when its table was only detached', async () => {
  await maintainPartitions(database.slow)
  const name = `events_${partitionRanges('day', inDays(3), inDays(3))[0]?.name}`
  const remove = [`alter table events detach partition ${name}`, `drop table ${name}`]
  for (const steps of [remove, remove.slice(0, 1)]) {
    for (const step of steps) await database.slow.execute(sql.raw(step))
    const until = await partitionsUntil(database.db, new Date())
    expect(until > inDays(2)).toBe(true)
    expect(until <= inDays(3)).toBe(true)
    expect((await maintainPartitions(database.slow)).made).toEqual([name])
    expect((await partitionsUntil(database.db, new Date())) > inDays(7)).toBe(true)
  }
})

test('neither waits for a reader with an open transaction, nor makes one wait', async () => {
  const reader = connect(database.target, { max: 1 })
  await reader.begin(async (tx) => {
    await tx`select count(*) from events`
    expect((await maintainPartitions(database.slow, { ahead: 9 })).made.length).toBeGreaterThanOrEqual(6)
    const create = sql`create table events_blocked partition of events for values from ('evt_y') to ('evt_z')`
    const blocked = database.slow.transaction(async (other) => {
      await other.execute(sql`set local lock_timeout = '100ms'`)
      await other.execute(create)
    })
    await expect(blocked).rejects.toMatchObject({ cause: { code: '55P03' } }) // what it does instead would wait
  })
  await endClient(reader)
})

test('drops what is past its time and nothing else: chat stays for ever', async () => {
  await makePartitions(database.slow, inDays(-45), { ahead: 30 })
  await insertAt(inDays(-37))
  await insertAt(inDays(-34))
  const { dropped } = await maintainPartitions(database.slow)
  expect(dropped.length).toBeGreaterThan(0)
  expect(
    dropped.filter((name) => !/^(events|webhook_deliveries_done|webhook_attempts|request_log)_/.test(name)),
  ).toEqual([])
  const rows = await database.db.execute<{ id: string }>(
    sql`select id from events where id < ${lowerBound('event', inDays(-1))}`,
  )
  expect(rows.length).toBe(1) // the one of 37 days ago is gone, the one of 34 days ago is not
})

test.each([40, -40])(
  'a process whose clock is %i days off drops nothing that is kept, and makes what is needed',
  async (days) => {
    const off = inDays(days)
    const kept = await namesOf('events')
    vi.useFakeTimers({ now: off, toFake: ['Date'] })
    const { made, dropped } = await maintainPartitions(database.slow).finally(() => vi.useRealTimers())
    expect([made, dropped]).toEqual([[], []])
    expect(await namesOf('events')).toEqual(kept)
  },
)

test('a young partition that somebody detached by hand is left', async () => {
  const young = `events_${partitionRanges('day', inDays(-3), inDays(-3))[0]?.name}`
  await makePartitions(database.slow, inDays(-3))
  await database.slow.execute(sql.raw(`alter table events detach partition ${young}`))
  expect((await maintainPartitions(database.slow)).dropped).toEqual([])
  expect(await database.slow.execute(sql.raw(`select 1 from ${young}`))).toEqual([])
})

async function namesOf(table: string) {
  const rows = await database.db.execute<{ name: string }>(
    sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = to_regclass(${table}) order by 1`,
  )
  return rows.map(({ name }) => name)
}

test('a partition whose reader kept it is left, with those behind it, to the next run', async () => {
  const reader = connect(database.target, { max: 1 })
  await makePartitions(database.slow, inDays(-80), { ahead: 10 })
  await reader.begin(async (tx) => {
    await tx`select count(*) from events`
    const waiting = maintainPartitions(database.slow)
    await vi.waitUntil(async () => (await pending()) === 1, { timeout: 15_000 })
    await database.db.execute(sql`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and query ~ '^alter .* detach'`)
    expect((await waiting).dropped.filter((name) => name.startsWith('events_'))).toEqual([])
  })
  expect(await pending()).toBe(1)
  const { dropped } = await maintainPartitions(database.slow)
  expect(dropped.filter((name) => name.startsWith('events_')).length).toBeGreaterThan(1)
  expect(await pending()).toBe(0)
  await endClient(reader)
})

test('a partition that is waited for in a circle, as when two processes detach at once, is left to the next run', async () => {
  const other = connect(database.target, { max: 1 })
  await makePartitions(database.slow, inDays(-60), { ahead: 1 })
  const oldest = `events_${partitionRanges('day', inDays(-60), inDays(-60))[0]?.name}`
  await other.begin(async (tx) => {
    await tx.unsafe(`lock table ${oldest} in share update exclusive mode`)
    const waiting = maintainPartitions(database.slow)
    await expect.poll(detachingThatWait).toBe(1)
    await tx`lock table events in share update exclusive mode`
    expect((await waiting).dropped).not.toContain(oldest)
  })
  expect((await maintainPartitions(database.slow)).dropped).toContain(oldest)
  await endClient(other)
})

async function detachingThatWait(): Promise<number | undefined> {
  const [row] = await database.db.execute<{ n: number }>(sql`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query ~ '^alter .* detach'`)
  return row?.n
}

async function pending(): Promise<number | undefined> {
  const [row] = await database.db.execute<{ n: number }>(
    sql`select count(*)::int as n from pg_inherits where inhdetachpending`,
  )
  return row?.n
}
