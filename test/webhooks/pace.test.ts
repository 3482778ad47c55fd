import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Claimed, claimDue } from '../../src/domain/webhooks/queue/claim.ts'
import { settle } from '../../src/domain/webhooks/queue/settle.ts'
import { releaseOf } from '../../src/domain/webhooks/queue/settlement.ts'
import { crowds } from './support/crowd.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
let made: ReturnType<typeof crowds>
let id: string
beforeAll(async () => {
  stage = await createStage()
  made = crowds(stage)
})
beforeEach(async () => {
  await made.clear()
  ;[id = ''] = await made.crowd({ size: 1 })
})
afterAll(async () => {
  await made.clear()
  await stage[Symbol.asyncDispose]()
})

/** One attempt that took so long, settled. Returns the pace with which its delivery was claimed. */
async function attempt(durationMs: number, isSuccess = true) {
  await made.deliveries([id], 1)
  const [row] = (await claimDue(stage.context, { lane: 0, limit: 1, after: '' })).rows
  if (!row) throw new Error('There is a row')
  const health = { isSuccess, isProbe: false, grows: false, halves: false, isGone: false, retryAfterS: null }
  const record = { startedMs: Date.now(), durationMs, status: isSuccess ? 200 : 500, errorClass: null, response: null }
  await settle(stage.context, [{ ...finished(row), attempt: record, health }])
  return row.pace
}
const finished = (row: Claimed) => ({
  ...releaseOf(row),
  outcome: { kind: 'finish', result: 'delivered', reason: null } as const,
})
const pacesAfter = async (durationsMs: number[], isSuccess = true) => {
  for (const ms of durationsMs) await attempt(ms, isSuccess)
  return attempt(50)
}

test('a receiver is unproven until its first attempt, then fast or slow by what that took, whatever it answered', async () => {
  expect(await attempt(50)).toBe('unproven')
  expect(await attempt(50)).toBe('fast')
  expect(await pacesAfter([14_000])).toBe('slow')
  ;[id = ''] = await made.crowd({ size: 1 })
  expect(await pacesAfter([15_000], false)).toBe('slow')
})

test('one slow attempt suffices to be slow; alternating does not help, and a run of fast ones does', async () => {
  expect(await pacesAfter([50, 50, 50, 2_100])).toBe('slow')
  expect(await pacesAfter([14_000, 50, 50, 14_000, 50, 50])).toBe('slow')
  expect(await pacesAfter(Array(8).fill(50))).toBe('fast')
})

test('a fast receiver that stays fast is not written for it', async () => {
  await attempt(50)
  const version = async () =>
    (await stage.run(`select xmin::text from webhook_subscriptions where id = '${id}'`))[0]?.xmin
  const before = await version()
  await attempt(60)
  expect(await version()).toBe(before)
})
