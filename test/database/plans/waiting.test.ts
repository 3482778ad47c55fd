import { afterAll, expect, test } from 'vitest'
import { deleteMessage, sendMessage } from '../../../src/domain/chat.ts'
import type { Context } from '../../../src/domain/core/context.ts'
import { redeliver } from '../../../src/domain/webhooks/deliveries/redeliver.ts'
import { replayDeliveries, replayKinds } from '../../../src/domain/webhooks/deliveries/replay.ts'
import { sweepExpired, sweepStopped } from '../../../src/domain/webhooks/queue/sweep.ts'
import { workDeliveries } from '../../../src/domain/webhooks/worker/work.ts'
import { createStage } from '../../webhooks/support/stage.ts'
import { nodesOf, openExplained, outline, type PlanNode } from './explained.ts'

/**
 * PostgreSQL 18 may end, with every connection, when a statement that prunes partitions as it runs is given a row again
 * because somebody changed it while it was waited for. So no statement does both: each verb that changes or locks rows
 * beside partitions is called, and the server tells how it went about it.
 */
const stage = await createStage()
/** However few the rows are, the plan is one that looks up each. */
const explained = openExplained(stage.target, {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
})
const ctx: Context = { ...stage.context, db: explained.db, slow: explained.slow }
const operator = { ...ctx, principal: { kind: 'operator' as const } }
afterAll(async () => {
  await explained[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

const mayWait = (node: PlanNode) =>
  node['Node Type'] === 'LockRows' || node.Operation === 'Update' || node.Operation === 'Delete'

/** What is pruned at the start is not in the plan; what is pruned later is there, and was executed less often than asked for. */
const prunesAsItRuns = ({ 'Node Type': type, 'Actual Loops': loops, Plans: parts = [] }: PlanNode) =>
  /Append$/.test(type) && parts.some((part) => part['Actual Loops'] < loops)

async function expectApart(work: () => Promise<unknown>) {
  const { statements } = await explained.explain(work)
  const changing = statements.filter(({ plan }) => [...nodesOf(plan)].some(mayWait))
  expect(changing.length).toBeGreaterThan(0)
  for (const { plan, text } of changing) {
    if ([...nodesOf(plan)].some(prunesAsItRuns)) expect.fail(`${outline(plan)}\n${text}`)
  }
}

/** A subscription with three deliveries that failed, or were never made, enabled again. */
async function failedScene(outcome = 'failed') {
  const scene = await stage.scene(() => ({ status: 410 }))
  for (let n = 0; n < 3; n++) await scene.say()
  await stage.work()
  await stage.run(`update webhook_deliveries_done set outcome = '${outcome}' where subscription_id = '${scene.id}'`)
  await scene.change({ status: 'enabled', disabledAt: null, disabledReason: null })
  return scene
}

test.each([200, 500, 410])('claiming, sending and settling what is answered with %i', async (status) => {
  const { say } = await stage.scene(() => ({ status }))
  for (let n = 0; n < 3; n++) await say()
  await expectApart(() => workDeliveries(ctx, { budgetMs: 25_000 }))
})

test.each(replayKinds)('replaying: %s', async (only) => {
  const { id } = await failedScene(only === 'missed' ? 'held' : 'failed')
  await expectApart(() => replayDeliveries(operator, { subscription: id, only }))
})

test('sending one again', async () => {
  const { done } = await failedScene()
  const [one] = await done()
  await expectApart(() => redeliver(operator, { id: one?.id ?? '' }))
})

test('sweeping what is stopped and what is too old', async () => {
  const { say, change, queue } = await stage.scene()
  for (let n = 0; n < 3; n++) await say()
  await change({ status: 'disabled', disabledReason: 'owner', disabledAt: new Date() })
  await expectApart(() => sweepStopped(ctx))
  expect(await queue()).toEqual([])
  await stage.emit()
  const later = new Date(stage.clock.at.getTime() + 40 * 86_400_000)
  await expectApart(() => sweepExpired(ctx, later))
})

test('sending and deleting a message', async () => {
  const as = { ...stage.asUser(stage.ada), db: ctx.db, slow: ctx.slow }
  let id = ''
  await explained.explain(async () => {
    id = (await sendMessage(as, { room_name: 'ada', content: 'x' })).id
  })
  await expectApart(() => deleteMessage(as, id))
})
