import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { paces } from '../../src/domain/events/receiver-pace.ts'
import { type Claimed, claimDue } from '../../src/domain/webhooks/queue/claim.ts'
import { refileWaiting } from '../../src/domain/webhooks/queue/refile.ts'
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
  const [row] = (await claimDue(stage.context, { lane: 0, limit: 1 })).rows
  if (!row) throw new Error('There is a row')
  const health = {
    isSuccess,
    isProbe: false,
    fillsWindow: false,
    grows: false,
    halves: false,
    goneUrl: null,
    retryAfterS: null,
  }
  const record = {
    startedMs: Date.now(),
    durationMs,
    status: isSuccess ? 200 : 500,
    errorClass: null,
    detail: null,
    request: null,
    responseHeaders: null,
    response: null,
  }
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

test('what waits is filed under the pace that its receiver has by now', async () => {
  await made.deliveries([id], 3)
  const filed = async () => new Set((await stage.queue()).map(({ pace }) => paces[pace]))
  expect(await filed()).toEqual(new Set(['unproven']))
  for (const [ms, pace] of [
    [50, 'fast'],
    [14_000, 'slow'],
  ] as const) {
    await attempt(ms)
    await refileWaiting(stage.context)
    expect(await filed()).toEqual(new Set([pace]))
  }
})

test('very much that waits for one receiver is filed in steps, and does not keep that of others from being filed', async () => {
  const [other = ''] = await made.crowd({ size: 1 })
  await made.deliveries([id], 15_000)
  await made.deliveries([other], 1)
  await stage.run('update webhook_subscriptions set attempt_ms = 50')
  const misfiled = async (of: string) => {
    const [row] = await stage.run(`select from webhook_deliveries where subscription_id = '${of}' and pace = 1 limit 1`)
    return row !== undefined
  }
  while (await misfiled(other)) await refileWaiting(stage.context, 1)
  expect(await misfiled(id)).toBe(true)
})

test('an event is filed under the pace of each of its receivers', async () => {
  for (const [attemptMs, pace] of [
    [null, 'unproven'],
    [50, 'fast'],
    [14_000, 'slow'],
  ] as const) {
    const { change, say, queue } = await stage.scene()
    await change({ attemptMs })
    await say()
    expect((await queue()).map((row) => paces[row.pace])).toEqual([pace])
  }
})

test('a fast receiver that stays fast is not written for it', async () => {
  await attempt(50)
  const version = async () =>
    (await stage.run(`select xmin::text from webhook_subscriptions where id = '${id}'`))[0]?.xmin
  const before = await version()
  await attempt(60)
  expect(await version()).toBe(before)
})
