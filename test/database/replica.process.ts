import { afterAll, afterEach, expect, test, vi } from 'vitest'
import type { DatabaseTarget } from '../../src/db/client.ts'
import { openPools } from '../../src/db/pools.ts'
import { readUpToDate } from '../../src/db/replica.ts'
import { statement } from '../../src/db/statement.ts'
import { createTestDatabase } from '../support/database.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'

const database = await createTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())
afterEach(() => void vi.useRealTimers())

const selectOne = statement<[], { one: number }>('select 1 as one')

/** Pools with such a replica, many reads at once, and how many statements the replica was asked by them. */
async function openWith(replica: DatabaseTarget) {
  let asked = 0
  const pools = openPools(database.target, {
    replica,
    watch: (pool) => () => {
      if (pool === 'replica') asked++
      return () => {}
    },
  })
  await selectOne(pools.slow)
  vi.useFakeTimers({ toFake: ['performance'] })
  return {
    asked: () => asked,
    read: () => readUpToDate(pools, (db) => selectOne(db)),
    readMany: async () => Promise.all(Array.from({ length: 50 }, () => readUpToDate(pools, (db) => selectOne(db)))),
    second: () => void vi.advanceTimersByTime(1_001),
    [Symbol.asyncDispose]: () => pools[Symbol.asyncDispose](),
  }
}

const fifty = Array.from({ length: 50 }, () => [{ one: 1 }])

test('a frozen replica costs a read 100 ms, and one a second; all others go to the primary at once', async () => {
  await using proxy = await createDatabaseProxy(database.target)
  proxy.swallow()
  await using stage = await openWith(proxy.target)
  const begun = Date.now()
  expect(await stage.read()).toEqual([{ one: 1 }])
  expect(Date.now() - begun).toBeGreaterThan(90)
  expect(Date.now() - begun, 'with some time for a busy machine').toBeLessThan(1_000)
  expect([await stage.readMany(), stage.asked()]).toEqual([fifty, 1])
  stage.second()
  expect([await stage.readMany(), stage.asked()]).toEqual([fifty, 2])
})

test('so does one that cannot be up to date, as after it was promoted', async () => {
  await using stage = await openWith(database.target)
  expect([await stage.read(), await stage.readMany(), stage.asked()]).toEqual([[{ one: 1 }], fifty, 1])
  stage.second()
  expect([await stage.readMany(), stage.asked()]).toEqual([fifty, 2])
})
