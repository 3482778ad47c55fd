import { afterAll, beforeEach, expect, test } from 'vitest'
import { sweepExpired } from '../../src/domain/webhooks/queue/sweep.ts'
import { maintainDeliveries } from '../../src/domain/webhooks/worker/maintenance.ts'
import { crowds } from './support/crowd.ts'
import { createStage } from './support/stage.ts'

const HOUR_MS = 3_600_000
const KEPT_MS = 34 * 24 * HOUR_MS // a day before their event is dropped

const stage = await createStage()
const { crowd, deliveries } = crowds(stage)
const begun = stage.clock.at
beforeEach(() => {
  stage.clock.at = begun
})
afterAll(() => stage[Symbol.asyncDispose]())
const pass = (ms: number) => {
  stage.clock.at = new Date(stage.clock.at.getTime() + ms)
}

test('what has waited for 34 days expires before its event is dropped, with the attempts that were made', async () => {
  const { say, queue, done, attempts } = await stage.scene(() => ({ status: 500 }))
  await say('old')
  await stage.work()
  pass(2 * HOUR_MS)
  await say('new')
  pass(KEPT_MS - 3 * HOUR_MS)
  expect(await sweepExpired(stage.context, stage.clock.at), 'an hour before').toBe(0)
  pass(2 * HOUR_MS)
  await maintainDeliveries(stage.context, stage.clock.at)
  expect(await done()).toMatchObject([{ outcome: 'expired', reason: null, attempts: 1 }])
  expect(await attempts()).toHaveLength(1)
  expect(await queue(), 'the newer one waits on').toHaveLength(1)
  await stage.withdraw()
})

test('what is on the wire is left alone until its lease ends', async () => {
  const { say, queue, done } = await stage.scene()
  await say()
  await stage.run(`update webhook_deliveries set lease = gen_random_uuid(), due_at = now() + interval '30 s'`)
  pass(KEPT_MS + HOUR_MS)
  expect(await sweepExpired(stage.context, stage.clock.at)).toBe(0)
  expect(await queue()).toHaveLength(1)
  await stage.pass(31_000)
  expect(await sweepExpired(stage.context, stage.clock.at)).toBe(1)
  expect(await done()).toMatchObject([{ outcome: 'expired', attempts: 0 }])
})

test('thousands expire in one call, in steps, and once each when two sweep at once', async () => {
  const ids = await crowd({ size: 5, rows: 500 })
  pass(KEPT_MS + HOUR_MS)
  expect(await sweepExpired(stage.context, stage.clock.at)).toBe(2_500)
  expect(await stage.queue()).toEqual([])
  await deliveries(ids, 100)
  const swept = await Promise.all([
    sweepExpired(stage.context, stage.clock.at),
    sweepExpired(stage.context, stage.clock.at),
  ])
  const left = await sweepExpired(stage.context, stage.clock.at) // of what the two left to each other
  expect(swept[0] + swept[1] + left).toBe(500)
})
