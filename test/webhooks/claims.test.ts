import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Claimed, type ClaimRequest, type Cursor, claimDue } from '../../src/domain/webhooks/queue/claim.ts'
import { renewLeases, settle } from '../../src/domain/webhooks/queue/settle.ts'
import { releaseOf, type Settlement } from '../../src/domain/webhooks/queue/settlement.ts'
import { sweepStopped } from '../../src/domain/webhooks/queue/sweep.ts'
import { crowds } from './support/crowd.ts'
import { sizeOf } from './support/long.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
let crowd: ReturnType<typeof crowds>['crowd']
let deliveries: ReturnType<typeof crowds>['deliveries']
let clear: ReturnType<typeof crowds>['clear']
beforeAll(async () => {
  stage = await createStage()
  ;({ crowd, deliveries, clear } = crowds(stage))
})
beforeEach(() => clear())
afterAll(async () => {
  await clear()
  await stage[Symbol.asyncDispose]()
})

const claim = (limit = 100, more: Partial<ClaimRequest> = {}) =>
  claimDue(stage.context, { lane: 0, limit, after: '', ...more })
const finish = (row: Claimed): Settlement => ({
  ...releaseOf(row),
  outcome: { kind: 'finish', result: 'delivered', reason: null },
})
const retry = (row: Claimed, delayS = 3600): Settlement => ({ ...releaseOf(row), outcome: { kind: 'retry', delayS } })
const bySubscription = (rows: Claimed[]) => rows.map((row) => row.subscription_id)
const expireLeases = () => stage.pass(40_000)

const ROUNDS = sizeOf('rounds of claimers at once, and of everybody at the same rows', { short: 6, long: 100 })

describe.each([2, 10])('%i claimers at once', (claimers) => {
  const allAtOnce = <Result>(work: () => Promise<Result>) => Promise.all(Array.from({ length: claimers }, work))

  test('share the rows: each is claimed and settled once', async () => {
    await crowd({ size: 30, rows: 20 })
    const seen = new Map<string, number>()
    await allAtOnce(async () => {
      for (let cursor: Cursor = ''; (await stage.queue()).length > 0; ) {
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
    const many = await crowd({ size: 20, isOneApplication: true })
    const old = await stage.user(`old_${claimers}`)
    await stage.run(`update users set created_at = now() - interval '8 days' where id = '${old.id}'`)
    const ofOld = await crowd({ size: 20, ownerId: old.id })
    const young = await stage.user(`young_${claimers}`)
    await stage.run(`update users set created_at = now() where id = '${young.id}'`)
    const ofNew = await crowd({ size: 20, ownerId: young.id })
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

describe('fairness', () => {
  test('300 subscriptions, ten slots: each is served within 30 claims', async () => {
    await crowd({ size: 300, rows: 3 })
    const served = new Set<string>()
    let cursor: Cursor = ''
    for (let n = 0; n < 30; n++) {
      const { rows, next } = await claim(10, { after: cursor, scan: 40 })
      cursor = next
      for (const id of bySubscription(rows)) served.add(id)
      await settle(
        stage.context,
        rows.map((row) => retry(row)),
      )
    }
    expect(served.size).toBe(300)
  })

  test('everybody’s first row goes before anybody’s second', async () => {
    const [rich = ''] = await crowd({ size: 1, rows: 500 })
    await crowd({ size: 60, rows: 1 })
    const claimed = bySubscription((await claim(61)).rows)
    expect(new Set(claimed).size).toBe(61)
    expect(claimed).toContain(rich)
  })

  test('disabled, deleted and resting ones are passed over and hide nobody behind them', async () => {
    const stopped = await crowd({ size: 120, rows: 1 })
    const [good = ''] = await crowd({ size: 1, rows: 1 })
    const list = stopped.map((id) => `'${id}'`)
    await stage.run(
      `update webhook_subscriptions set status = 'disabled', disabled_reason = 'owner', disabled_at = now() where id in (${list.slice(0, 50)})`,
    )
    await stage.run(`update webhook_subscriptions set deleted_at = now() where id in (${list.slice(50, 100)})`)
    await stage.run(
      `update webhook_subscriptions set open_until = now() + interval '1 minute' where id in (${list.slice(100)})`,
    )
    const served: string[] = []
    for (let n = 0, cursor = ''; n < 4; n++) {
      const { rows, next } = await claim(100, { after: cursor, scan: 40 })
      cursor = next
      served.push(...bySubscription(rows))
    }
    expect(served).toEqual([good])
    expect(await sweepStopped(stage.context)).toBe(100)
    const outcomes = await stage.context.db.execute<{ outcome: string; n: number }>(
      "select outcome, count(*)::int as n from webhook_deliveries_done where type = 'livestream.started' and outcome <> 'delivered' group by 1 order by 1",
    )
    expect([...outcomes]).toEqual([
      { outcome: 'cancelled', n: 50 },
      { outcome: 'held', n: 50 },
    ])
    await stage.run(`update webhook_subscriptions set open_until = null`)
  })

  test('slow and unproven receivers get no more places than they may, however many owners; fast ones get the rest', async () => {
    const slow = await crowd({ size: 50, rows: 3, attemptMs: 14_000 })
    const unproven = await crowd({ size: 50, rows: 3 })
    const fast = await crowd({ size: 20, rows: 3, attemptMs: 50 })
    const { rows } = await claim(128, { slow: 10, unproven: 20, scan: 200 })
    const of = (ids: string[]) => rows.filter((row) => ids.includes(row.subscription_id))
    expect([of(slow).length, of(unproven).length, of(fast).length]).toEqual([10, 20, 60])
    expect(new Set(bySubscription(of(slow))).size, 'one of each').toBe(10)
    expect(new Set(of(slow).map(({ pace }) => pace))).toEqual(new Set(['slow']))
    expect((await claim(128, { slow: 0, unproven: 0, scan: 200 })).rows, 'nothing of the others is left').toEqual([])
  })

  test('among unproven receivers the owners take turns: one with fifty leaves another its place', async () => {
    const owner = await stage.user('fifty')
    await crowd({ size: 50, rows: 1, ownerId: owner.id })
    const [single = ''] = await crowd({ size: 1, rows: 1 })
    expect(bySubscription((await claim(100, { unproven: 2, scan: 100 })).rows)).toContain(single)
  })

  test('after its rest a subscription gets one probe and no more', async () => {
    const [id = ''] = await crowd({ size: 1, rows: 5 })
    await stage.run(
      `update webhook_subscriptions set consecutive_failures = 5, open_until = now() - interval '1 ms' where id = '${id}'`,
    )
    expect((await claim()).rows).toHaveLength(1)
    expect((await claim()).rows).toHaveLength(0)
  })

  test('a claim costs about the same beside 20,000 rows of a dead receiver as beside 100', async () => {
    const [dead = ''] = await crowd({ size: 1 })
    const others = await crowd({ size: 100 })
    const cost = async (rows: number) => {
      await clear()
      await deliveries([dead], rows)
      await deliveries([dead], rows, { dueInS: 3600 })
      await deliveries(others, 5)
      await stage.run('analyze webhook_deliveries')
      const times: number[] = []
      for (let n = 0; n < 9; n++) {
        const begun = performance.now()
        const { rows: claimed } = await claim(100)
        times.push(performance.now() - begun)
        expect(new Set(bySubscription(claimed)).size).toBe(100)
        await settle(
          stage.context,
          claimed.map((row) => releaseOf(row)),
        )
      }
      return times.toSorted((a, b) => a - b)[4] ?? 0
    }
    const [few, many] = [await cost(50), await cost(10_000)]
    expect(many, `${few.toFixed(1)} ms beside few, ${many.toFixed(1)} ms beside many`).toBeLessThan(3 * few + 10)
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
      health: { isSuccess: false, isProbe: false, grows: false, halves: true, isGone: false, retryAfterS: null },
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
