import { afterAll, beforeEach, expect, test } from 'vitest'
import { beginning } from '../../src/domain/webhooks/queue/claim.ts'
import { settle } from '../../src/domain/webhooks/queue/settle.ts'
import { releaseOf } from '../../src/domain/webhooks/queue/settlement.ts'
import { sweepStopped } from '../../src/domain/webhooks/queue/sweep.ts'
import { bySubscription, createClaimStage, finish, retry } from './support/claims.ts'

const own = await createClaimStage()
const { stage, crowd, deliveries, clear, claim } = own
beforeEach(() => clear())
afterAll(() => own[Symbol.asyncDispose]())

test('300 subscriptions, ten slots: each is served within 30 claims', async () => {
  await crowd({ size: 300, rows: 3 })
  const served = new Set<string>()
  let cursor = beginning
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
  for (let n = 0, cursor = beginning; n < 4; n++) {
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
  const { rows } = await claim(128, { places: { slow: 10, unproven: 20 }, scan: 200 })
  const of = (ids: string[]) => rows.filter((row) => ids.includes(row.subscription_id))
  expect([of(slow).length, of(unproven).length, of(fast).length]).toEqual([10, 20, 60])
  expect(new Set(bySubscription(of(slow))).size, 'one of each').toBe(10)
  expect(new Set(of(slow).map(({ pace }) => pace))).toEqual(new Set(['slow']))
  expect(
    (await claim(128, { places: { slow: 0, unproven: 0 }, scan: 200 })).rows,
    'nothing of the others is left',
  ).toEqual([])
})

test('among unproven receivers the owners take turns: one with fifty leaves another its place', async () => {
  const owner = await stage.user('fifty')
  await crowd({ size: 50, rows: 1, ownerId: owner.id })
  const [single = ''] = await crowd({ size: 1, rows: 1 })
  expect(bySubscription((await claim(100, { places: { unproven: 2 }, scan: 100 })).rows)).toContain(single)
})

test.each([
  { accounts: 1, order: 'at once', taken: 14 },
  { accounts: 10, order: 'at once', taken: 50 },
  { accounts: 10, order: 'one by one', taken: 64 },
  { accounts: 40, order: 'at once', taken: 66 },
])(
  'receivers that have never answered: $accounts accounts with fifty each that come $order get $taken of 70 places, and the first attempt of another one',
  async ({ accounts, order, taken }) => {
    const places = 70
    let inFlight = 0
    const claimAll = async () => {
      for (let n = 0; n < 6; n++) {
        const { rows } = await claim(128, { places: { unproven: places - inFlight }, scan: 2_000 })
        inFlight += rows.length
      }
    }
    for (let n = 0; n < accounts; n++) {
      const owner = await stage.user(`hangs_${accounts}_${order.length}_${n}`)
      await stage.run(`update users set created_at = now() - interval '8 days' where id = '${owner.id}'`)
      await crowd({ size: 50, rows: 1, ownerId: owner.id })
      if (order === 'one by one') await claimAll()
    }
    await claimAll()
    expect(inFlight).toBe(taken)
    const [first = ''] = await crowd({ size: 1, rows: 1 })
    const { rows } = await claim(128, { places: { unproven: places - inFlight }, scan: 2_000 })
    expect(bySubscription(rows)).toEqual([first])
  },
)

test('an account’s fast receivers lose no turn to its slow ones, of which there is no place, some, or many in flight', async () => {
  const owner = await stage.user('mostly_slow')
  await stage.run(`update users set created_at = now() where id = '${owner.id}'`)
  const slow = await crowd({ size: 40, rows: 2, ownerId: owner.id, attemptMs: 14_000 })
  const [fast = ''] = await crowd({ size: 1, ownerId: owner.id, attemptMs: 50 })
  const reaches = async (places: number) => {
    await deliveries([fast], 1)
    const { rows } = await claim(100, { places: { slow: places }, scan: 100 })
    expect(bySubscription(rows).filter((id) => id === fast)).toHaveLength(1)
    await settle(stage.context, rows.filter((row) => row.subscription_id === fast).map(finish))
  }
  for (const places of [0, 3, 100, 100]) await reaches(places)
  const leased = (await stage.queue()).filter(({ lease, subscriptionId }) => lease && slow.includes(subscriptionId))
  expect(leased, 'two thirds of the 16 of a new account').toHaveLength(10)
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
