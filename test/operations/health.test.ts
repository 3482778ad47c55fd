import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import { openPools } from '../../src/db/pools.ts'
import { checkReadiness } from '../../src/domain/health.ts'
import { createTestContext } from '../support/context.ts'

test('a migrated database that answers is ready', async () => {
  await using own = await createTestContext()
  expect(await checkReadiness(own.context)).toEqual({ ready: true })
})

test('a database that lacks a migration of this release is not', async () => {
  await using own = await createTestContext()
  await own.context.db.execute(sql`delete from drizzle.__drizzle_migrations`)
  await expect(checkReadiness(own.context)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('migrations'),
  })
})

test('a database without a partition for today is not', async () => {
  await using own = await createTestContext()
  own.clock.at = new Date('2199-01-01T00:00:00.000Z')
  await expect(checkReadiness(own.context)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('partitions'),
  })
})

test.each([
  [40, 'ahead of'],
  [-40, 'behind'],
])('a process whose clock is %i days off is not, and says so', async (days, direction) => {
  await using own = await createTestContext()
  vi.useFakeTimers({ now: Date.now() + days * 86_400_000, toFake: ['Date'] })
  const checked = checkReadiness(own.context).finally(() => vi.useRealTimers())
  await expect(checked).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(
      new RegExp(`clock of this machine is 3456\\d\\d\\d s ${direction} that of the database`),
    ),
  })
})

test('a database that accepts and then is silent is not, within two seconds', async () => {
  await using own = await createTestContext()
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const pools = openPools(`postgres://app@127.0.0.1:${(silent.address() as AddressInfo).port}/app`)
  const started = performance.now()
  await expect(checkReadiness({ ...own.context, db: pools.db })).rejects.toMatchObject({ code: 'unavailable' })
  expect(performance.now() - started).toBeLessThan(3_000)
  silent.close()
})
