import { sql } from 'drizzle-orm'
import { afterAll, expect, test, vi } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { isPartitionMissing } from '../../src/db/db-error.ts'
import { partitionRanges } from '../../src/db/partition-ranges.ts'
import { maintainPartitions, partitionsUntil } from '../../src/db/partitions.ts'
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
  const runs = await Promise.all(
    [database.slow, other.slow].map((db) => maintainPartitions(db, new Date(), { ahead: 7 })),
  )
  await other[Symbol.asyncDispose]()
  const made = runs.map((run) => run.made.length).toSorted((a, b) => a - b)
  expect(made[0]).toBe(0)
  expect(made[1]).toBeGreaterThan(0)
  const until = await partitionsUntil(database.db)
  expect(until > inDays(7)).toBe(true)
  expect(until <= inDays(8)).toBe(true)
  await insertAt(inDays(0))
  await insertAt(inDays(6))
})

test('a row that finds no partition is told apart from one that breaks a rule', async () => {
  const failure = await insertAt(inDays(60)).catch((error: unknown) => error)
  expect(isPartitionMissing(failure)).toBe(true)
  const tooLong = database.db.execute(
    sql`insert into events values (${newId('event', new Date())}, 'usr_1', 1, 'x', now(), repeat('x', 65537))`,
  )
  expect(isPartitionMissing(await tooLong.catch((error: unknown) => error))).toBe(false)
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

test('neither waits for a reader with an open transaction, nor makes one wait', async () => {
  const reader = connect(database.target, { max: 1 })
  await reader.begin(async (tx) => {
    await tx`select count(*) from events`
    expect((await maintainPartitions(database.slow, new Date(), { ahead: 9 })).made.length).toBeGreaterThanOrEqual(6)
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
  const { dropped } = await maintainPartitions(database.slow, inDays(38))
  expect(dropped.length).toBeGreaterThan(0)
  expect(dropped.filter((name) => !/^(events|webhook_deliveries_done|webhook_attempts)_/.test(name))).toEqual([])
  const rows = await database.db.execute<{ id: string }>(sql`select id from events`)
  expect(rows.length).toBe(1) // today's are gone, the one of six days later is not
})

test('a partition whose reader kept it is left, with those behind it, to the next run', async () => {
  const reader = connect(database.target, { max: 1 })
  await maintainPartitions(database.slow, inDays(40), { ahead: 0 })
  await reader.begin(async (tx) => {
    await tx`select count(*) from events`
    const waiting = maintainPartitions(database.slow, inDays(80))
    await vi.waitUntil(async () => (await pending()) === 1, { timeout: 15_000 })
    await database.db.execute(sql`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and query ~ '^alter .* detach'`)
    expect((await waiting).dropped.filter((name) => name.startsWith('events_'))).toEqual([])
  })
  expect(await pending()).toBe(1)
  const { dropped } = await maintainPartitions(database.slow, inDays(80))
  expect(dropped.filter((name) => name.startsWith('events_')).length).toBeGreaterThan(1)
  expect(await pending()).toBe(0)
  await endClient(reader)
})

async function pending(): Promise<number | undefined> {
  const [row] = await database.db.execute<{ n: number }>(
    sql`select count(*)::int as n from pg_inherits where inhdetachpending`,
  )
  return row?.n
}
