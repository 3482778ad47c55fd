import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { endClient } from '../../src/db/pools.ts'
import { redeliver } from '../../src/domain/webhooks/deliveries/redeliver.ts'
import { type ReplayKind, replayDeliveries } from '../../src/domain/webhooks/deliveries/replay.ts'
import { testSubscription } from '../../src/domain/webhooks/deliveries/test-delivery.ts'
import { sweepAllLapsed } from '../../src/domain/webhooks/queue/lost-grants.ts'
import { enableSubscription } from '../../src/domain/webhooks/subscriptions/enable.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const owner = () => stage.asOwner()

describe('disabled in mid backlog', () => {
  test('nothing is sent and nothing is lost: enabled again it says how many, and a replay brings them', async () => {
    let isWell = false
    const { id, say, receiver, done } = await stage.scene(() => ({ status: isWell ? 200 : 410 }))
    for (let n = 0; n < 3; n++) await say(`pending ${n}`)
    await stage.work()
    for (let n = 0; n < 2; n++) await say(`unheard ${n}`)
    await stage.work()
    const tried = receiver.requests.length
    for (const refuse of [
      () => replayDeliveries(owner(), { subscription: id, only: 'all' }),
      async () => redeliver(owner(), { id: (await done()).at(-1)?.id ?? '' }),
    ]) {
      await expect(refuse()).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('disabled'),
      })
    }
    const { missed } = await enableSubscription(owner(), { id })
    expect(missed).toBe(5 - tried)
    isWell = true
    const replay = async (only: ReplayKind) => {
      const { queued, next } = await replayDeliveries(owner(), { subscription: id, only })
      expect(next).toBeNull()
      await stage.work()
      return queued
    }
    expect(await replay('missed')).toBe(missed)
    expect(await replay('missed'), 'twice is harmless').toBe(0)
    expect(await replay('failed')).toBe(tried)
    expect(await replay('all')).toBe(5)
    const contents = receiver.requests.map(({ event }) => event.data.content)
    expect(new Set(contents)).toEqual(new Set(['pending 0', 'pending 1', 'pending 2', 'unheard 0', 'unheard 1']))
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size, 'the same ids').toBe(5)
    expect((await done()).map(({ outcome }) => outcome)).toEqual(Array(5).fill('delivered'))
  })

  test('a replay goes behind first attempts, in chunks, within the span that was asked for', async () => {
    const { id, user, receiver, done } = await stage.scene(undefined, { types: ['livestream.started'] })
    await stage.emit(5, user)
    await stage.work()
    const [, second, third] = receiver.requests.toSorted((a, b) => a.event.sequence - b.event.sequence)
    const span = { from: String(second?.event.timestamp), to: String(third?.event.timestamp) }
    expect(await replayDeliveries(owner(), { subscription: id, only: 'all', ...span })).toEqual({
      queued: 1,
      hastened: 0,
      next: null,
    })
    expect((await stage.queue()).map(({ lane }) => lane)).toEqual([1])
    await stage.work()
    expect(receiver.requests).toHaveLength(6)
    expect(await done()).toHaveLength(5)
    for (const wrong of [{ from: 'yesterday' }, { to: '' }, { after: 'x' }]) {
      const asked = replayDeliveries(owner(), { subscription: id, only: 'all', ...wrong })
      await expect(asked).rejects.toMatchObject({ code: 'invalid_request' })
    }
  })

  test('for a lost grant it stays disabled until the user consents again', async () => {
    const { id, user, health } = await stage.scene()
    await stage.run(`delete from grants where user_id = '${user.id}'`)
    await sweepAllLapsed(stage.context)
    await expect(enableSubscription(owner(), { id })).rejects.toMatchObject({ code: 'forbidden' })
    await stage.consent(user)
    await enableSubscription(owner(), { id })
    expect(await health()).toMatchObject({ status: 'enabled', disabledReason: null, disabledAt: null })
  })
})

test('of the replays of one owner one runs at a time: who waits too long is asked to come again, and other owners are not', async () => {
  const [one, two] = [await stage.scene(), await stage.scene()]
  const replay = (id: string, as = owner()) => replayDeliveries(as, { subscription: id, only: 'missed' }, 50)
  const stranger = await stage.client()
  const theirs = await stage.subscribe(one.receiver.url, { as: stage.asApplication(stranger.id) })
  const held = await stage.holdSlow()
  const both = [replay(one.id), replay(two.id)]
  const other = replayDeliveries(stage.asApplication(stranger.id), { subscription: theirs.id, only: 'missed' }, 50)
  const first = await Promise.race(both.map((replaying) => replaying.catch((error: unknown) => error)))
  expect(first).toMatchObject({ code: 'rate_limited' })
  await held[Symbol.asyncDispose]()
  expect((await Promise.allSettled(both)).map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  await expect(other).resolves.toMatchObject({ next: null })
  await expect(replay(one.id)).resolves.toMatchObject({ next: null })
})

test('a replay leaves alone what was delivered between its picking and its moving', async () => {
  const { id, as, say, change, queue, done } = await stage.scene(() => ({ status: 410 }))
  await say()
  await stage.work()
  await change({ status: 'enabled', disabledAt: null, disabledReason: null })
  const rows = `webhook_deliveries_done where subscription_id = '${id}'`
  await stage.run(`update webhook_deliveries_done set outcome = 'failed' where subscription_id = '${id}'`)
  const other = connect(stage.target, { max: 1 })
  const witness = connect(stage.target, { max: 1 })
  let replay: Promise<unknown> | undefined
  await other.begin(async (tx) => {
    await tx.unsafe(`select from ${rows} for update`)
    replay = replayDeliveries({ ...as, principal: { kind: 'operator' } }, { subscription: id, only: 'failed' })
    for (let waits = false; !waits; ) {
      const [row] = await witness`select exists (select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock') as waits`
      waits = row?.waits
    }
    await tx.unsafe(`update webhook_deliveries_done set outcome = 'delivered' where subscription_id = '${id}'`)
  })
  expect(await replay).toEqual({ queued: 0, hastened: 0, next: null })
  expect([await queue(), (await done()).map(({ outcome }) => outcome)]).toEqual([[], ['delivered']])
  await stage.run(`update webhook_deliveries_done set outcome = 'failed' where subscription_id = '${id}'`)
  await Promise.all([endClient(other), endClient(witness)])
})

describe('a person who knows that the receiver is well', () => {
  /** A subscription that rests, with six deliveries of which none succeeded. */
  async function resting(rest: 'breaker' | 'Retry-After') {
    let isWell = false
    const failure = rest === 'breaker' ? { status: 500 } : { status: 503, headers: { 'retry-after': '600' } }
    const scene = await stage.scene(() => (isWell ? {} : failure))
    for (let n = 0; n < 6; n++) await scene.say(`${n}`)
    await stage.work()
    await scene.say('after it')
    await stage.work()
    expect((await scene.health()).openUntil).not.toBeNull()
    const recover = () => {
      isWell = true
      return scene.receiver.requests.length
    }
    return { ...scene, recover }
  }

  test.for(['breaker', 'Retry-After'] as const)(
    'redelivers at once while the subscription rests (%s), before what else is due',
    async (rest) => {
      const { queue, receiver, recover } = await resting(rest)
      const waiting = (await queue()).find(({ attempts }) => attempts > 0)
      const before = recover()
      await redeliver(owner(), { id: String(waiting?.id) })
      await stage.work()
      expect(receiver.requests[before]?.event.id).toBe(waiting?.eventId)
      expect(receiver.requests.length, 'what was due follows').toBeGreaterThan(before + 1)
    },
  )

  test('ends the rest by a test that succeeds, not by one that fails', async () => {
    const { id, health, receiver, recover } = await resting('breaker')
    await testSubscription(owner(), { id })
    expect((await health()).openUntil).not.toBeNull()
    const before = recover()
    await testSubscription(owner(), { id })
    expect((await health()).openUntil).toBeNull()
    await stage.work()
    expect(receiver.requests.length, 'the test and what was due').toBeGreaterThan(before + 1)
  })

  test('hastens by a replay of everything what waits for its next attempt, and is told how many', async () => {
    let isWell = false
    const { id, say, queue, receiver } = await stage.scene(() => (isWell ? {} : { status: 500 }))
    for (const text of ['one', 'two']) await say(text)
    await stage.work()
    isWell = true
    for (const only of ['failed', 'missed'] as const) {
      expect(await replayDeliveries(owner(), { subscription: id, only })).toMatchObject({ hastened: 0 })
    }
    expect(await replayDeliveries(owner(), { subscription: id, only: 'all' })).toEqual({
      queued: 0,
      hastened: 2,
      next: null,
    })
    await stage.work()
    expect(receiver.requests).toHaveLength(4)
    expect(await queue()).toEqual([])
  })
})
