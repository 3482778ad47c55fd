import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { beginning, type Claimed } from '../../src/domain/webhooks/queue/claim.ts'
import { renewLeases, settle } from '../../src/domain/webhooks/queue/settle.ts'
import { releaseOf, type Settlement } from '../../src/domain/webhooks/queue/settlement.ts'
import { sweepStopped } from '../../src/domain/webhooks/queue/sweep.ts'
import { createClaimStage, finish, retry } from './support/claims.ts'
import { sizeOf } from './support/long.ts'

const own = await createClaimStage()
const { stage, crowd, deliveries, clear, claim } = own
beforeEach(() => clear())
afterAll(() => own[Symbol.asyncDispose]())

const expireLeases = () => stage.pass(40_000)

const ROUNDS = sizeOf('rounds of claimers at once, and of everybody at the same rows', { short: 6, long: 100 })

describe.each([2, 10])('%i claimers at once', (claimers) => {
  const allAtOnce = <Result>(work: () => Promise<Result>) => Promise.all(Array.from({ length: claimers }, work))

  test('share the rows: each is claimed and settled once', async () => {
    await crowd({ size: 30, rows: 20 })
    const seen = new Map<string, number>()
    await allAtOnce(async () => {
      for (let cursor = beginning; (await stage.queue()).length > 0; ) {
        const { rows, next } = await claim(40, { after: cursor })
        cursor = next
        for (const { id } of rows) seen.set(id, (seen.get(id) ?? 0) + 1)
        await settle(stage.context, rows.map(finish))
      }
    })
    expect(seen.size).toBe(600)
    expect(new Set(seen.values())).toEqual(new Set([1]))
    expect(await stage.queue()).toEqual([])
  })

  test(`never go over the cap of a subscription or of an owner, as the database counts, ${ROUNDS} of 100 times`, async () => {
    const [one = ''] = await crowd({ size: 1 })
    const many = await crowd({ size: 20, isOneApplication: true, attemptMs: 50 })
    const old = await stage.user(`old_${claimers}`)
    await stage.run(`update users set created_at = now() - interval '8 days' where id = '${old.id}'`)
    const ofOld = await crowd({ size: 20, ownerId: old.id, attemptMs: 50 })
    const young = await stage.user(`young_${claimers}`)
    await stage.run(`update users set created_at = now() where id = '${young.id}'`)
    const ofNew = await crowd({ size: 20, ownerId: young.id, attemptMs: 50 })
    for (let round = 0; round < ROUNDS; round++) {
      await clear()
      await deliveries([one, ...many, ...ofOld, ...ofNew], 20)
      await allAtOnce(() => claim(200))
      const leased = (await stage.queue()).filter(({ lease }) => lease !== null)
      const inFlight = (of: string[]) => leased.filter((row) => of.includes(row.subscriptionId)).length
      expect(inFlight([one]), 'a subscription: its window').toBe(8)
      expect(inFlight(many), 'twenty of one application that nobody owns').toBe(64)
      expect(inFlight(ofOld), 'twenty applications of one account').toBe(64)
      expect(inFlight(ofNew), 'twenty applications of a new account').toBe(16)
    }
  }, 120_000)
})

describe('a lease', () => {
  test('that was lost changes nothing: neither finish, retry, release nor renewal', async () => {
    await crowd({ size: 1, rows: 1 })
    const [stale] = (await claim()).rows
    await expireLeases()
    const [current] = (await claim()).rows
    if (!stale || !current) throw new Error('Both claims get the row')
    for (const settlement of [finish(stale), retry(stale), releaseOf(stale)]) {
      expect((await settle(stage.context, [settlement])).leases.size).toBe(0)
    }
    expect(await renewLeases(stage.context, [stale])).toEqual([])
    expect(await renewLeases(stage.context, [current])).toEqual([current.id])
    expect(await stage.queue()).toMatchObject([{ attempts: 0, claims: 2, lease: current.lease }])
    expect((await settle(stage.context, [finish(current)])).leases.size).toBe(1)
  })

  test('given back is due at once and not charged; after a failure the row waits among the retries', async () => {
    await crowd({ size: 1, rows: 1 })
    const [first] = (await claim()).rows
    if (first) await settle(stage.context, [releaseOf(first)])
    const [second] = (await claim()).rows
    expect(second).toMatchObject({ attempts: 0, claims: 1 })
    if (second) await settle(stage.context, [retry(second, 0)])
    expect((await claim()).rows).toEqual([])
    expect((await claim(100, { lane: 1 })).rows).toMatchObject([{ attempts: 1, claims: 2 }])
  })

  test('lost by one worker of a batch leaves the others of the batch alone', async () => {
    await crowd({ size: 4, rows: 1 })
    const { rows } = await claim()
    await stage.run(`update webhook_deliveries set lease = gen_random_uuid() where id = '${rows[0]?.id}'`)
    const { leases } = await settle(stage.context, rows.map(finish))
    expect([...leases].toSorted()).toEqual(
      rows
        .slice(1)
        .map(({ lease }) => lease)
        .toSorted(),
    )
  })
})

test(`renewing, settling, sweeping, deleting and claiming the same rows at once never deadlock, ${ROUNDS} of 100 times`, async () => {
  const before = await deadlocks()
  for (let round = 0; round < ROUNDS; round++) {
    const ids = await crowd({ size: 6 })
    await stage.run(`update webhook_subscriptions set send_window = 32`)
    await deliveries(ids, 40)
    const { rows } = await claim(240, { perOwner: 240 })
    const shuffled = () => rows.toSorted(() => Math.random() - 0.5)
    const failing = (row: Claimed): Settlement => ({
      ...retry(row, 0),
      health: {
        isSuccess: false,
        isProbe: false,
        fillsWindow: false,
        grows: false,
        halves: true,
        goneUrl: null,
        retryAfterS: null,
      },
    })
    const stop = `update webhook_subscriptions set deleted_at = now() where id = '${ids[round % 6]}'`
    await Promise.all([
      ...Array.from({ length: 4 }, () => renewLeases(stage.context, shuffled())),
      ...Array.from({ length: 4 }, (_, n) =>
        settle(
          stage.context,
          shuffled()
            .slice(n * 60, n * 60 + 60)
            .map(n % 2 ? finish : failing),
        ),
      ),
      sweepStopped(stage.context),
      sweepStopped(stage.context),
      stage.run(stop),
      claim(100, { lane: 1 }),
    ])
    await clear()
  }
  expect(await deadlocks()).toBe(before)
}, 120_000)

async function deadlocks() {
  const [row] = await stage.context.db.execute<{ n: number }>(
    'select deadlocks::int as n from pg_stat_database where datname = current_database()',
  )
  return row?.n
}
