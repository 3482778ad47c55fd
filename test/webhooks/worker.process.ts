import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openPools } from '../../src/db/pools.ts'
import { WakeHub } from '../../src/domain/events/wake-hub.ts'
import { Engine } from '../../src/domain/webhooks/worker/engine.ts'
import { Fanouts } from '../../src/domain/webhooks/worker/fanouts.ts'
import { DeliveryLoop } from '../../src/domain/webhooks/worker/loop.ts'
import { startWorker } from '../../src/process/background/delivery.ts'
import { listenToNotifications, notifyCommits } from '../../src/process/background/notifications.ts'
import { Disposables } from '../../src/process/disposables.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { createStage, type Stage } from './support/stage.ts'

let stage: Stage
let wakeHub: WakeHub
beforeEach(async () => {
  wakeHub = new WakeHub()
  stage = await createStage({ wake: wakeHub.wake })
})
afterEach(() => stage[Symbol.asyncDispose]())

/** The context of a process that delivers and listens to notifications of others. */
function work(options: { graceMs?: number } = {}): AsyncDisposable {
  const opened = new Disposables()
  opened.use(listenToNotifications(stage.context, { wakeHub, target: stage.target }))
  opened.use(startWorker(stage.context, { wakeHub, ...options }))
  return opened
}
/** Resolves at the next wake. */
const woken = () =>
  new Promise<void>((resolve) => {
    const stop = wakeHub.onWake(() => {
      stop()
      resolve()
    })
  })

describe('the loop', () => {
  test('delivers beside those who hold all connections for slow statements', async () => {
    const { say, receiver } = await stage.scene()
    await using _held = await stage.holdSlow()
    await using _ = work({ graceMs: 100 })
    await say()
    await receiver.received(1)
  })

  test('claims beside the steps of an event with a million receivers, however long one takes', async () => {
    const { say, receiver } = await stage.scene()
    await say()
    await stage.run(
      `insert into webhook_fanouts (event_id, type, channel_id, occurred_at) values ('evt_x', 'x', 'x', now())`,
    )
    const engine = new Engine(stage.context)
    const fanouts = new Fanouts(stage.context, engine.changed.notify)
    await stage.context.slow.transaction(async (tx) => {
      await tx.execute(sql`lock table webhook_fanouts in share mode`) // no step ends before this transaction
      await new DeliveryLoop(stage.context, engine, fanouts).pass()
      await receiver.received(1)
      expect(fanouts.isRunning).toBe(true)
    })
    await fanouts.stop()
    await engine.stop(1_000)
  })

  test('is woken by commits: first attempts do not wait for its tick', async () => {
    await using _ = work()
    const { say, receiver } = await stage.scene()
    const waits = []
    for (let n = 1; n <= 8; n++) {
      const begun = performance.now()
      await say(`${n}`)
      waits.push(((await receiver.received(n)).at(-1)?.at ?? 0) - begun)
    }
    expect(waits.toSorted((a, b) => a - b)[3], `${waits.map(Math.round)} ms`).toBeLessThan(500)
  })

  test('hears of commits in other processes, and tells nobody of them: two would never stop telling each other', async () => {
    await using _ = work()
    const told = vi.fn()
    wakeHub.onCommit(told)
    const other = new WakeHub()
    await using _announcing = notifyCommits(stage.context, other)
    const heard = woken()
    other.wake()
    await heard
    expect(told).not.toHaveBeenCalled()
    wakeHub.wake()
    expect(told).toHaveBeenCalledOnce()
  })

  test('serves one receiver at once while another hangs', async () => {
    await using _ = work({ graceMs: 0 })
    const slow = await stage.scene(() => 'hang')
    const quick = await stage.scene()
    for (let n = 0; n < 30; n++) await slow.say(`${n}`)
    await slow.receiver.received(8)
    for (let n = 0; n < 10; n++) await quick.say(`${n}`)
    await quick.receiver.received(10)
    expect(slow.receiver.requests, 'its window').toHaveLength(8)
  })

  test('leaves half of its slots to others when sixty receivers of one account hang', async () => {
    await using _ = work({ graceMs: 0 })
    const hanging = await stage.receiver(() => 'hang')
    for (let n = 0; n < 60; n++) await stage.subscribe(hanging.url, { types: ['livestream.started'] })
    await stage.run('update webhook_subscriptions set attempt_ms = 50')
    await stage.emit(2)
    await hanging.received(64)
    const other = stage.asApplication((await stage.client()).id)
    const quick = await stage.receiver()
    await stage.subscribe(quick.url, { as: other })
    for (let n = 0; n < 5; n++) await stage.say(`${n}`)
    await quick.received(5)
    expect(hanging.requests, 'the cap of the owner').toHaveLength(64)
  })

  test.for([
    { pace: 'took long', attemptMs: '14000', places: 42 },
    { pace: 'have not answered yet', attemptMs: 'null', places: 54 }, // of 70, of twelve accounts
  ])(
    'leaves slots to others when receivers that $pace hang, of however many accounts',
    async ({ attemptMs, places }) => {
      const hanging = [await stage.receiver(() => 'hang'), await stage.receiver(() => 'hang')] // an origin takes 64 at a time
      for (let n = 0; n < 12; n++) {
        const as = stage.asApplication((await stage.client()).id)
        for (const { url } of hanging) await stage.subscribe(url, { types: ['livestream.started'], as })
      }
      await stage.run(`update webhook_subscriptions set attempt_ms = ${attemptMs}`)
      await stage.emit(8)
      await using _ = work({ graceMs: 0 })
      const { id, say, receiver } = await stage.scene()
      await stage.run(`update webhook_subscriptions set attempt_ms = 50 where id = '${id}'`)
      const inFlight = () => hanging.reduce((sum, { requests }) => sum + requests.length, 0)
      await expect.poll(inFlight).toBe(places)
      for (let n = 0; n < 5; n++) await say(`${n}`)
      await receiver.received(5)
      expect(inFlight(), 'its places').toBe(places)
    },
  )

  test('keeps a third of its slots from retries and replays', async () => {
    const hanging = [await stage.receiver(() => 'hang'), await stage.receiver(() => 'hang')] // an origin takes 64 at a time
    for (const { url } of [...hanging, ...hanging, ...hanging, ...hanging, ...hanging, ...hanging]) {
      await stage.subscribe(url, { types: ['livestream.started'], as: stage.asApplication((await stage.client()).id) })
    }
    await stage.emit(10)
    await stage.run('update webhook_deliveries set lane = 1')
    await stage.run('update webhook_subscriptions set attempt_ms = 50')
    await using _ = work({ graceMs: 0 })
    await Promise.all(hanging.map((receiver) => receiver.received(40)))
    const { say, receiver } = await stage.scene()
    await say('first')
    await receiver.received(1)
    const inFlight = hanging.reduce((sum, { requests }) => sum + requests.length, 0)
    expect(inFlight, 'two thirds of 128').toBe(85)
  })

  test('ends attempts when another process has deleted their subscription', async () => {
    await using _ = work()
    let closed: Promise<unknown> = Promise.resolve()
    const { id, say, receiver } = await stage.scene(() => 'hang')
    const server = createServer((request) => {
      closed = once(request.socket, 'close')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { change } = {
      change: (url: string) => stage.run(`update webhook_subscriptions set url = '${url}' where id = '${id}'`),
    }
    await change(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const requested = once(server, 'request')
    await say()
    await requested
    await stage.run(`update webhook_subscriptions set deleted_at = now() where id = '${id}'`)
    await stage.run(`select pg_notify('webhook_stopped', '${id}')`)
    await closed
    server.close()
    await change(receiver.url)
  })

  test('goes on when the listening connection is cut, and listens again', async () => {
    await using _ = work()
    const { say, receiver } = await stage.scene()
    await say('before')
    await receiver.received(1)
    const up = woken()
    await stage.run(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'developer-api listen'`)
    await up
    await say('after')
    await receiver.received(2)
  })
})

describe('a stop', () => {
  test('lets attempts end that are under way, and settles them', async () => {
    let answer: () => void = () => {}
    const answering = new Promise<object>((resolve) => {
      answer = () => resolve({})
    })
    const { say, receiver, done } = await stage.scene(() => answering)
    const worker = work()
    await say()
    await receiver.received(1)
    const stopped = worker[Symbol.asyncDispose]()
    answer()
    await stopped
    expect(await done()).toMatchObject([{ outcome: 'delivered', attempts: 1 }])
  })

  test('cuts off what hangs after its grace, and gives it back uncharged', async () => {
    const { say, receiver, queue } = await stage.scene(() => 'hang')
    const worker = work({ graceMs: 50 })
    await say()
    await receiver.received(1)
    await worker[Symbol.asyncDispose]()
    expect(await queue()).toMatchObject([{ attempts: 0, claims: 0, lease: null }])
    await stage.withdraw()
  })
})

test('the database goes in mid batch and comes back: the loop waits, and nothing is lost or settled twice', async () => {
  await using proxy = await createDatabaseProxy(stage.target)
  await using pools = openPools(proxy.target)
  let tell: (line: unknown) => void = () => {}
  const told = new Promise((resolve) => {
    tell = resolve
  })
  const log = Object.assign(Object.create(stage.context.log), { warn: tell }) as typeof stage.context.log
  const { say, pass, receiver, done } = await stage.scene(async (_, n) => {
    if (n === 4) await proxy.takeAway()
    return {}
  })
  for (let n = 0; n < 30; n++) await say(`${n}`)
  const worker = startWorker({ ...stage.context, ...pools, log }, { wakeHub })
  await told
  await proxy.giveBack()
  await receiver.receivedEvents(30)
  await worker[Symbol.asyncDispose]()
  await pass()
  await stage.work() // what was claimed by a transaction whose answer was lost comes back when its lease ends
  expect((await done()).map(({ outcome }) => outcome)).toEqual(Array(30).fill('delivered'))
  expect(receiver.requests.length, 'copies').toBeLessThanOrEqual(30 + 32)
  stage.mayCopy(32)
}, 60_000)
