import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Keyring } from '../../src/domain/core/keyring.ts'
import { longTest, sizeOf } from './support/long.ts'
import { createStage, type Stage } from './support/stage.ts'
import { startWorkerProcess, type WorkerProcess } from './support/workers.ts'

const KILLS = sizeOf('kills between sending and settling', { short: 1, long: 20 })
const WINDOW = 8 // attempts that a subscription has in flight
const ROWS = 16 + 8 * KILLS // each worker settles some before it is killed

const secretKey = randomBytes(32).toString('base64url')
let stage: Stage
beforeAll(async () => {
  stage = await createStage({ keyring: new Keyring([secretKey]) })
})
afterAll(() => stage[Symbol.asyncDispose]())

const start = (graceMs = 8_000) => startWorkerProcess({ target: stage.target, secretKey, graceMs })

test(`killed between sending and settling, ${KILLS} of 20 times: nothing is lost, copies have the same id and are few`, async () => {
  let victim: WorkerProcess | undefined
  let killed: Promise<void> | undefined
  const answering = async (_: unknown, n: number) => {
    if (n % 7 === 5) killed ??= victim?.kill()
    await killed
    return {}
  }
  const { user, pass, receiver, done } = await stage.scene(answering, { types: ['livestream.started'] })
  await stage.emit(ROWS, user)
  for (let kills = 0; kills < KILLS; kills++) {
    killed = undefined
    victim = await start()
    await receiver.received(7 * kills + 5)
    await killed
    await pass() // the leases of the dead end
  }
  victim = undefined
  await using _ = await start()
  await receiver.receivedEvents(ROWS)
  await stage.work()
  await _.stop()
  expect((await done()).map(({ outcome }) => outcome)).toEqual(Array(ROWS).fill('delivered'))
  expect(receiver.requests.length - ROWS, 'copies').toBeLessThanOrEqual(KILLS * WINDOW)
  stage.mayCopy(KILLS * WINDOW)
}, 240_000)

test('told to stop: what answers in time is settled, what hangs is given back uncharged, and the status is 0', async () => {
  let answer: () => void = () => {}
  const late = new Promise<object>((resolve) => {
    answer = () => resolve({})
  })
  const slow = await stage.scene(() => late)
  const hanging = await stage.scene(() => 'hang')
  const worker = await start(1_000)
  await slow.say()
  await hanging.say()
  await Promise.all([slow.receiver.received(1), hanging.receiver.received(1)])
  const begun = performance.now()
  const stopped = worker.stop()
  answer()
  expect(await stopped).toBe(0)
  expect(performance.now() - begun).toBeLessThan(15_000)
  expect(await slow.done()).toMatchObject([{ outcome: 'delivered', attempts: 1 }])
  expect(await hanging.queue()).toMatchObject([{ attempts: 0, claims: 0, lease: null }])
  expect(hanging.receiver.requests).toHaveLength(1)
  await stage.withdraw()
}, 60_000)

longTest(
  'a process whose event loop stood still for longer than its lease settles nothing: who claimed after it did',
  async () => {
    await using own = await createStage({ keyring: new Keyring([secretKey]) })
    let blocked: WorkerProcess | undefined
    const { say, receiver, queue, done, attempts } = await own.scene((_, n) => {
      if (n === 1) blocked?.block() // the answer is on the wire when it wakes
      return { status: n === 1 ? 500 : 204 }
    })
    await using worker = await startWorkerProcess({ target: own.target, secretKey, graceMs: 8_000 })
    blocked = worker
    await say()
    await receiver.received(1)
    const isLeased = async () => (await queue()).some(({ dueAt }) => Number(dueAt) > Date.now())
    while (await isLeased()) await own.run('select pg_sleep(0.5)')
    expect((await own.work()).delivered).toBe(1)
    worker.unblock()
    while ((await worker.lostLeases()) === 0) await own.run('select pg_sleep(0.05)')
    expect(await worker.lostLeases()).toBe(1)
    expect(await done()).toMatchObject([{ outcome: 'delivered', attempts: 1 }])
    expect(await attempts()).toMatchObject([{ n: 1, status: 204 }])
    expect(receiver.requests).toHaveLength(2)
    own.mayCopy(1)
  },
)

longTest(
  'a row that ends each process that sends it has failed after five, as poison; the others go on',
  async () => {
    await using own = await createStage({ keyring: new Keyring([secretKey]) })
    const startOwn = () => startWorkerProcess({ target: own.target, secretKey, graceMs: 8_000 })
    const { say, pass, receiver, done } = await own.scene(({ event }) =>
      event.data.content === 'poison' ? 'hang' : {},
    )
    await say('poison')
    for (let n = 0; n < 5; n++) {
      const worker = await startOwn()
      await receiver.received(n + 1)
      await worker.kill()
      await pass(31_000) // its leases end
    }
    await say('fine')
    await using worker = await startOwn()
    await receiver.receivedEvents(2)
    expect(await worker.stop(), 'the sixth lives').toBe(0)
    expect(await done()).toMatchObject([
      { outcome: 'failed', reason: 'poison', attempts: 0 },
      { outcome: 'delivered', attempts: 1 },
    ])
    expect(receiver.requests.map(({ event }) => event.data.content)).toEqual([...Array(5).fill('poison'), 'fine'])
    own.mayCopy(5)
  },
  120_000,
)
