import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Database, databaseOver } from '../../src/db/client.ts'
import { isUnavailable } from '../../src/db/db-error.ts'
import { endClient, openPools, type Pools, poolSizes } from '../../src/db/pools.ts'
import { findShortcomings } from '../../src/db/session-shortcomings.ts'
import { statement } from '../../src/db/statement.ts'
import { createTestDatabase } from '../support/database.ts'

let database: Awaited<ReturnType<typeof createTestDatabase>>
let pools: Pools
beforeAll(async () => {
  database = await createTestDatabase()
  pools = openPools(database.target, { replica: database.target })
})
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const selectOne = statement<[], { one: number }>('select 1 as one')

const settingsOf = async (db: Database) => {
  const [row] = await db.execute(sql`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
      current_setting('idle_in_transaction_session_timeout') as idle`)
  return row
}

test('no statement, no wait for a lock and no idle transaction is without an end', async () => {
  const slow = { statement: '10s', lock: '5s', idle: '10s' }
  expect(await settingsOf(pools.db)).toEqual({ statement: '5s', lock: '2500ms', idle: '5s' })
  expect(await settingsOf(pools.slow)).toEqual(slow)
  expect(await settingsOf(pools.replica)).toEqual(slow)
})

test('a transaction that idles is ended by the server: it fails as unavailable, and the pool goes on', async () => {
  const client = connect(database.target, { max: 1 })
  const idling = databaseOver(client).transaction(async (tx) => {
    await tx.execute(sql`set local idle_in_transaction_session_timeout = 50`)
    const [{ pid } = { pid: 0 }] = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    while (await isConnected(pid));
    await selectOne(tx)
  })
  await expect(idling).rejects.toSatisfy(isUnavailable)
  expect(await selectOne(databaseOver(client))).toMatchObject([{ one: 1 }]) // asked again, should the connection still seem open
  await endClient(client)
})

const isConnected = async (pid: number) => {
  const rows = await pools.db.execute(sql`select 1 from pg_stat_activity where pid = ${pid}`)
  return rows.length > 0
}

test.each(['db', 'slow', 'replica'] as const)(
  'however much is asked of the pool %s, it opens no more connections',
  async (name) => {
    const max = poolSizes[name === 'db' ? 'fast' : name]
    const asked = Array.from({ length: 20 * max }, () =>
      pools[name].execute<{ pid: number }>(sql`select pg_backend_pid() as pid, pg_sleep(0.002)::text`),
    )
    const pids = (await Promise.all(asked)).map(([row]) => row?.pid)
    expect(pids).toHaveLength(20 * max)
    expect(new Set(pids).size).toBeLessThanOrEqual(max)
  },
)

test('behind a pooler that sets no limits a start can tell, and what the database sets suffices', async () => {
  await using own = await createTestDatabase()
  const name = sql.raw(typeof own.target === 'string' ? new URL(own.target).pathname.slice(1) : own.target.database)
  expect(await findShortcomings(own.target)).toMatchObject({ unlimited: [], sees_others: true })
  const limits = ['idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout']
  expect((await findShortcomings(own.target, 'transaction')).unlimited).toEqual(limits)
  for (const limit of limits) await own.db.execute(sql`alter database ${name} set ${sql.raw(limit)} = '5s'`)
  expect((await findShortcomings(own.target, 'transaction')).unlimited).toEqual([])
})

test('what the database says about forms of values does not matter, also to a pool of transactions', async () => {
  await using own = await createTestDatabase()
  const name = sql.raw(typeof own.target === 'string' ? new URL(own.target).pathname.slice(1) : own.target.database)
  for (const setting of [`datestyle = 'SQL, DMY'`, `timezone = 'Asia/Tokyo'`]) {
    await own.db.execute(sql`alter database ${name} set ${sql.raw(setting)}`)
  }
  const read = sql`select '2026-01-02T03:04:05.678Z'::timestamptz::text as at`
  for (const pooler of ['session', 'transaction'] as const) {
    await using fresh = openPools(own.target, { pooler })
    expect(await fresh.db.execute(read)).toMatchObject([{ at: '2026-01-02 03:04:05.678+00' }])
  }
})
