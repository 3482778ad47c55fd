import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { webhookDeliveriesDone } from '../../src/db/schema/index.ts'
import { deleteApplication } from '../../src/domain/applications/applications.ts'
import { listDeliveries } from '../../src/domain/webhooks/deliveries/ledger.ts'
import { createSubscription } from '../../src/domain/webhooks/subscriptions/create.ts'
import { deleteSubscription } from '../../src/domain/webhooks/subscriptions/delete.ts'
import { listSubscriptions } from '../../src/domain/webhooks/subscriptions/list.ts'
import type { Answer } from '../support/receiver.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const outcomes = (rows: { outcome: string }[]) => rows.map(({ outcome }) => outcome)

test('what is pending for a deleted subscription is cancelled; one of the same URL gets no old events', async () => {
  const { id, as, say, receiver, done, queue } = await stage.scene()
  for (let n = 0; n < 3; n++) await say(`${n}`)
  await deleteSubscription(as, { id })
  const again = await createSubscription(as, { url: receiver.url, event_types: ['chat.message.sent'] })
  stage.secrets.set(again.id, [again.signing_secret])
  await stage.work()
  expect(receiver.requests).toEqual([])
  expect([outcomes(await done()), await queue()]).toEqual([['cancelled', 'cancelled', 'cancelled'], []])
  await say('new')
  await stage.work()
  expect(receiver.requests.map(({ headers }) => headers['x-subscription-id'])).toEqual([again.id])
})

test('a retry that waits is cancelled too', async () => {
  const { id, as, say, pass, receiver, done } = await stage.scene(() => ({ status: 500 }))
  await say()
  await stage.work()
  await deleteSubscription(as, { id })
  await pass()
  await stage.work()
  expect(receiver.requests).toHaveLength(1)
  expect(await done()).toMatchObject([{ outcome: 'cancelled', attempts: 1 }])
})

test('410 with more behind it: what was sent has failed, what is pending is held, and the lists show both', async () => {
  const { id, as, say, receiver, done, queue } = await stage.scene(() => ({ status: 410 }))
  for (let n = 0; n < 12; n++) await say(`${n}`)
  await stage.work()
  await stage.work() // sweeps
  const sent = receiver.requests.length
  expect(sent, 'its window').toBe(8)
  expect(await queue()).toEqual([])
  expect(outcomes(await done()).toSorted()).toEqual([...Array(sent).fill('failed'), ...Array(12 - sent).fill('held')])
  const list = async (outcome: 'held' | 'failed') =>
    (await listDeliveries(stage.asOwner(), { subscription: id, limit: 100, outcome })).items
  expect((await list('held')).map(({ due_at, attempts }) => [due_at, attempts])).toEqual(
    Array(12 - sent).fill([null, 0]),
  )
  expect((await list('failed')).map(({ reason }) => reason)).toEqual(Array(sent).fill('gone'))
  const listed = async () => (await listSubscriptions(as, { limit: 100 })).items.map(({ status }) => status)
  expect(await listed()).toEqual(['disabled'])
  await deleteSubscription(as, { id })
  expect(await listed()).toEqual([])
})

test('an attempt on the wire is cut off by the deletion, and nothing begins after it has answered', async () => {
  let hasArrived: () => void = () => {}
  const arrived = new Promise<void>((resolve) => {
    hasArrived = resolve
  })
  const { id, as, say, receiver, done, queue } = await stage.scene((): Answer => {
    hasArrived()
    return 'hang'
  })
  for (let n = 0; n < 20; n++) await say(`${n}`)
  const working = stage.work()
  await arrived
  await deleteSubscription(as, { id })
  const begunBefore = receiver.requests.length
  expect(
    (await queue()).filter(({ lease }) => lease !== null),
    'no lease is left',
  ).toEqual([])
  await working
  await stage.work()
  expect(receiver.requests).toHaveLength(begunBefore)
  expect(outcomes(await done())).toEqual(Array(20).fill('cancelled'))
})

test('an application that is deleted takes its attempts on the wire with it, and nothing begins after', async () => {
  const { id: clientId } = await stage.client()
  const receiver = await stage.receiver(() => 'hang')
  const { id } = await stage.subscribe(receiver.url, { as: stage.asApplication(clientId) })
  for (let n = 0; n < 20; n++) await stage.say(`${n}`)
  const working = stage.work()
  await receiver.received(8)
  await deleteApplication({ ...stage.context, principal: { kind: 'operator' } }, { id: clientId })
  await working
  await stage.work()
  expect(receiver.requests).toHaveLength(8)
  const outcomesOf = await stage.context.db
    .select({ outcome: webhookDeliveriesDone.outcome })
    .from(webhookDeliveriesDone)
    .where(eq(webhookDeliveriesDone.subscriptionId, id))
  expect(outcomes(outcomesOf)).toEqual(Array(20).fill('cancelled'))
})

test('deleting beside claims at any moment lets nothing begin after the answer', async () => {
  for (let round = 0; round < 5; round++) {
    let isGone = false
    const begunTooLate: number[] = []
    const { id, as, say } = await stage.scene((_, n) => {
      if (isGone) begunTooLate.push(n)
      return {}
    })
    for (let n = 0; n < 12; n++) await say(`${n}`)
    const workers = [stage.work(), stage.work(), stage.work()]
    for (let turn = 0; turn < round * 3; turn++) await new Promise(setImmediate)
    await deleteSubscription(as, { id })
    isGone = true
    await Promise.all(workers)
    expect(begunTooLate).toEqual([])
  }
})

test('two subscriptions of one URL get one event each, with one id and their own signatures', async () => {
  const { as, id, say, receiver } = await stage.scene()
  const twin = await stage.subscribe(receiver.url, { as })
  await say('twice')
  await stage.work()
  const { requests } = receiver
  expect(requests.map(({ headers }) => headers['x-subscription-id']).toSorted()).toEqual([id, twin.id].toSorted())
  expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(requests.map(({ headers }) => headers['webhook-signature'])).size).toBe(2)
})
