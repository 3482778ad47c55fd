import { setTimeout as after } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { connect, databaseOver } from '../../src/db/client.ts'
import { endClient } from '../../src/db/pools.ts'
import { SharedStreamLimit } from '../../src/domain/events/streams/shared-stream-limit.ts'
import { deleteIdleHolders, settleClaims } from '../../src/domain/events/streams/stream-claims.ts'
import { createTestContext } from '../support/context.ts'
import { countedDatabase } from '../support/counted-database.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'

const app = await createTestContext()
const { db, log } = app.context
const counted = countedDatabase(app.target)
afterAll(async () => {
  await counted[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})
afterEach(() => void vi.useRealTimers())

const processOf = (database = db) => new SharedStreamLimit({ db: database, log })
let count = 0
const somebody = () => `user usr_${count++}`
/** How many of some that ask at once are admitted. */
const admitted = async (limits: readonly SharedStreamLimit[], holder: string, each: number) => {
  const asked = limits.flatMap((limit) => Array.from({ length: each }, () => limit.take(holder)))
  const answers = await Promise.allSettled(asked)
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
}
const refusal = { code: 'rate_limited', details: { retryAfterS: 5 } }
/** A close is told behind the answer. */
const untilAdmitted = async (limit: SharedStreamLimit, holder: string) => {
  for (;;) {
    const [leave] = await admitted([limit], holder, 1)
    if (leave) return leave
    await after(10)
  }
}

describe('twenty streams in all processes together', () => {
  test('are admitted, whoever closes one makes room for one anywhere, and nobody else is concerned', async () => {
    const [one, two] = [processOf(), processOf()]
    const holder = somebody()
    const [first] = await admitted([one], holder, 12)
    expect(await admitted([two], holder, 12)).toHaveLength(8)
    await expect(one.take(holder)).rejects.toMatchObject(refusal)
    await expect(two.take(holder)).rejects.toMatchObject(refusal)
    await two.take(somebody())
    first?.()
    await untilAdmitted(two, holder)
    await expect(one.take(holder)).rejects.toMatchObject(refusal)
  })

  test('are never more, however many ask at once', async () => {
    const limits = Array.from({ length: 4 }, () => processOf())
    for (let round = 0; round < 5; round++) expect(await admitted(limits, somebody(), 15)).toHaveLength(20)
  })

  test('cost no statement where the process alone has them', async () => {
    const limit = processOf(counted.db)
    const holder = somebody()
    await admitted([limit], holder, 20)
    counted.sent.length = 0
    await expect(limit.take(holder)).rejects.toMatchObject(refusal)
    expect(counted.sent).toEqual([])
  })
})

/** As if a process had said nothing for so long. */
async function silence(process: string, holder: string, seconds: number) {
  await db.execute(
    sql`update stream_processes set seen_at = statement_timestamp() - ${seconds}::int * interval '1 second' where id = ${process}`,
  )
  await db.execute(sql`
    update stream_holders set counts = jsonb_set(
      counts, array[${process}::text, '1'], to_jsonb(extract(epoch from statement_timestamp()) - ${seconds}::int))
    where holder = ${holder}`)
}

describe('a process that has ended without a word', () => {
  test('counts for six seconds', async () => {
    const holder = somebody()
    await settleClaims(db, 'dead', [{ holder, open: 20, wanted: 0 }], 20)
    const limit = processOf()
    await silence('dead', holder, 5)
    await expect(limit.take(holder)).rejects.toMatchObject(refusal)
    await silence('dead', holder, 6)
    expect(await admitted([limit], holder, 21)).toHaveLength(20)
  })

  test('is deleted in time, and who has nothing open with it', async () => {
    const [idle, busy] = [somebody(), somebody()]
    await settleClaims(db, 'long dead', [{ holder: idle, open: 3, wanted: 0 }], 20)
    await silence('long dead', idle, 7_200)
    await processOf().take(busy)
    await deleteIdleHolders(db, 1_000)
    const left = await db.execute(sql`select holder from stream_holders where holder in (${idle}, ${busy})`)
    const processes = await db.execute(sql`select id from stream_processes where id = 'long dead'`)
    expect([[...left], [...processes]]).toEqual([[{ holder: busy }], []])
  })

  test('does not, as one that is stopped, count at all', async () => {
    const holder = somebody()
    const [one, two] = [processOf(), processOf()]
    await admitted([one], holder, 20)
    await one[Symbol.asyncDispose]()
    expect(await admitted([two], holder, 20)).toHaveLength(20)
  })

  test.each([
    ['the server has lost it', () => db.execute(sql`truncate stream_holders, stream_processes`)],
    ['others took it for dead', () => db.execute(sql`update stream_holders set counts = '{}'`)],
  ])('is none that only said nothing for a while: it writes what it has again where %s', async (_name, lose) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const holders = [somebody(), somebody()]
    const [one, two] = [processOf(), processOf()]
    for (const holder of holders) await admitted([one], holder, 20)
    await lose()
    vi.advanceTimersByTime(6_000)
    await one.take(somebody()) // notices it
    await one.take(somebody()) // is counted with the rest, or after it
    for (const holder of holders) await expect(two.take(holder)).rejects.toMatchObject(refusal)
  })
})

describe('while the database does not answer', () => {
  test.each(['takeAway', 'swallow'] as const)(
    'each process counts alone, and tells what it has afterwards (%s)',
    async (fail) => {
      await using proxy = await createDatabaseProxy(app.target)
      const client = connect(proxy.target, { max: 2, statementMs: 2_000 })
      const [one, two] = [processOf(databaseOver(client)), processOf()]
      const holder = somebody()
      await admitted([one], holder, 5)
      await proxy[fail]()
      expect(await admitted([one], holder, 30)).toHaveLength(15)
      await expect(one.take(holder)).rejects.toMatchObject(refusal)
      const told = app.lines.filter((line) => line.includes('this one counts alone'))
      expect(told.length).toBeGreaterThan(0)
      proxy.passOn()
      if (fail === 'swallow') await proxy.takeAway()
      await proxy.giveBack()
      for (let isFull = false; !isFull; await after(50)) {
        isFull = (await settleClaims(db, 'looking', [{ holder, open: 0, wanted: 1 }], 20)).counts.get(holder) === 0
      }
      await expect(two.take(holder)).rejects.toMatchObject(refusal)
      await endClient(client)
    },
    20_000,
  )
})

test('ten thousand holders cost a few statements when they come, and one that names nobody while they stay', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const own = countedDatabase(app.target)
  const limit = processOf(own.db)
  const leaves = await Promise.all(Array.from({ length: 10_000 }, () => limit.take(somebody())))
  expect(own.sent.length).toBeLessThanOrEqual(11)
  own.sent.length = 0
  vi.advanceTimersByTime(2_000)
  while (own.sent.length === 0) await after(1)
  expect(own.sent.map(({ values }) => values[1])).toEqual(['{}'])
  for (const leave of leaves) leave()
  await limit[Symbol.asyncDispose]()
  expect(own.sent.length).toBeLessThanOrEqual(13)
  await own[Symbol.asyncDispose]()
})
