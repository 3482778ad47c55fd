import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { openPools } from '../../src/db/pools.ts'
import type { Problem } from '../../src/domain/core/problem.ts'
import { checkReadiness } from '../../src/domain/health.ts'
import { DAY_MS } from '../../src/time/durations.ts'
import { createTestApp } from '../support/app.ts'
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
  const begun = Date.now()
  vi.useFakeTimers({ now: begun + days * DAY_MS, toFake: ['Date'] }) // and so stands still
  const refused = checkReadiness(own.context).finally(() => vi.useRealTimers())
  const error = await refused.catch((reason: Problem) => reason)
  expect(error).toMatchObject({ code: 'unavailable' })
  const [, off = 0, where] = /clock of this machine is (\d+) s (.*) that of the database/.exec(String(error)) ?? []
  const stoodStillS = (Date.now() - begun) / 1000
  expect(where).toBe(direction)
  expect(Math.abs(Number(off) - 40 * (DAY_MS / 1000))).toBeLessThanOrEqual(stoodStillS + 1)
})

describe('whoever asks, and however often', async () => {
  const own = await createTestContext()
  afterAll(() => own[Symbol.asyncDispose]())
  afterEach(() => void vi.useRealTimers())
  const seconds = (n: number) => void vi.advanceTimersByTime(n * 1000)
  /** The context of a process whose database is asked through it, and how many statements that were. */
  const process = (answering: () => Promise<void> = async () => {}) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    let asked = 0
    const execute = async (...given: Parameters<typeof own.context.db.execute>) => {
      asked++
      await answering()
      return own.context.db.execute(...given)
    }
    const db = new Proxy(own.context.db, {
      get: (target, name) => (name === 'execute' ? execute : Reflect.get(target, name)),
    })
    return { ctx: { ...own.context, db }, asked: () => asked }
  }
  const once = async () => {
    const { ctx, asked } = process()
    await checkReadiness(ctx)
    return asked()
  }

  test('the database is asked once a second', async () => {
    const each = await once()
    expect(each).toBeGreaterThan(0)
    const { ctx, asked } = process()
    await Promise.all(Array.from({ length: 50 }, () => checkReadiness(ctx)))
    seconds(0.99)
    await checkReadiness(ctx)
    expect(asked()).toBe(each)
    seconds(0.02)
    await Promise.all(Array.from({ length: 50 }, () => checkReadiness(ctx)))
    expect(asked()).toBe(2 * each)
  })

  test('nobody asks again while the question before is open', async () => {
    const each = await once()
    let answer = () => {}
    const late = new Promise<void>((resolve) => {
      answer = resolve
    })
    const { ctx, asked } = process(() => late)
    const first = checkReadiness(ctx)
    seconds(1.5)
    const second = checkReadiness(ctx)
    answer()
    expect(await Promise.all([first, second])).toEqual([{ ready: true }, { ready: true }])
    expect(asked()).toBe(each)
  })

  test('a failure is no answer: it counts for a second as well, and then it is asked again', async () => {
    let isAway = true
    const { ctx } = process(async () => {
      if (isAway) throw new Error('away')
    })
    await expect(checkReadiness(ctx)).rejects.toThrow('away')
    isAway = false
    await expect(checkReadiness(ctx)).rejects.toThrow('away')
    seconds(1.01)
    expect(await checkReadiness(ctx)).toEqual({ ready: true })
  })

  test('a process that stops says so at once', async () => {
    const { ctx } = process()
    const stopping = new AbortController()
    expect(await checkReadiness({ ...ctx, stopping: stopping.signal })).toEqual({ ready: true })
    stopping.abort()
    await expect(checkReadiness({ ...ctx, stopping: stopping.signal })).rejects.toMatchObject({
      message: 'Not ready: it stops.',
    })
  })
})

test('that a process is not ready is its answer, and no failure for the log', async () => {
  await using app = await createTestApp({ stopping: AbortSignal.abort() })
  for (const route of ['GET /health/ready', 'GET /trpc/health.ready?input=%7B%7D'])
    expect((await app.request(route)).status, route).toBe(503)
  expect(app.lines.filter((line) => line.includes('failed'))).toEqual([])
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
