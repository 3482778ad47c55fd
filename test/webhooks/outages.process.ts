import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { connect, databaseOver } from '../../src/db/client.ts'
import { startEmbedded } from '../../src/db/embedded/supervisor.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { endClient, openPools } from '../../src/db/pools.ts'
import type { Context } from '../../src/domain/core/context.ts'
import { WakeHub } from '../../src/domain/events/wake-hub.ts'
import { startWorker } from '../../src/process/background/delivery.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { asAdmin } from '../support/template.ts'
import { longTest } from './support/long.ts'
import { createStage, type Stage } from './support/stage.ts'

const EVENTS = 20
const WINDOW = 8 // attempts that a subscription has in flight
const AWAY = 'Webhook delivery interrupted'
const BACK = 'Webhook delivery resumed'

const wakeHub = new WakeHub()
let stage: Stage
let lines: Lines
beforeAll(async () => {
  stage = await createStage({ wake: wakeHub.wake })
})
beforeEach(() => {
  lines = new Lines()
})
afterAll(() => stage[Symbol.asyncDispose]())

/** The log of the worker, with a way to wait for a line. */
class Lines {
  readonly #lines: string[] = []
  #look = () => {}
  readonly log = pino(
    {},
    {
      write: (line: string) => {
        this.#lines.push(JSON.parse(line).msg)
        this.#look()
      },
    },
  )

  async told(message: string) {
    while (!this.#lines.includes(message)) {
      await new Promise<void>((resolve) => {
        this.#look = resolve
      })
    }
  }
}

const work = (reach: Partial<Pick<Context, 'db' | 'slow' | 'replica'>> = {}) =>
  startWorker({ ...stage.context, ...reach, log: lines.log }, { wakeHub })

type Happening = {
  of?: Stage
  ring?: () => void
  begins: () => unknown
  ends?: () => unknown
  worker: () => AsyncDisposable
}

/** A fault begins at the fourth request and ends once the worker waits; then all is delivered, and nothing settled twice. */
async function outlives({ of = stage, ring = wakeHub.wake, begins, ends, worker }: Happening) {
  const { say, pass, receiver, done } = await of.scene(async (_, n) => {
    if (n === 4) await begins()
    return {}
  })
  for (let n = 0; n < EVENTS; n++) await say(`${n}`)
  await using _ = worker()
  await lines.told(AWAY)
  await ends?.()
  await lines.told(BACK)
  await pass() // what a transaction claimed whose answer was lost comes back when its lease ends
  ring()
  await receiver.receivedEvents(EVENTS)
  while ((await done()).length < EVENTS);
  expect((await done()).map(({ outcome }) => outcome)).toEqual(Array(EVENTS).fill('delivered'))
  expect(receiver.requests.length, 'copies').toBeLessThanOrEqual(EVENTS + WINDOW)
  of.mayCopy(WINDOW)
}

test('the server is killed and starts again', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'webhooks-outage-'))
  const server = await startEmbedded({ dataDir })
  await migrateDatabase(server.target)
  const pools = openPools(server.target)
  try {
    const own = new WakeHub()
    await using of = await createStage({ ...pools, wake: own.wake, now: () => new Date() })
    const context = { ...of.context, log: lines.log }
    await outlives({
      of,
      ring: own.wake,
      begins: () => process.kill(server.pid(), 'SIGKILL'),
      worker: () => startWorker(context, { wakeHub: own }),
    })
  } finally {
    await pools[Symbol.asyncDispose]()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}, 60_000)

test('the primary becomes a replica, which refuses writes (25006), and another takes its place', async () => {
  await using proxy = await createDatabaseProxy(stage.target)
  await using pools = openPools(proxy.target)
  const { admin } = inject('databaseServer')
  const [row] = await stage.context.db.execute<{ name: string }>('select current_database() as name')
  /** Settings of the sessions that begin from now on, which replace those of the worker. */
  const becomes = async (change: string) => {
    await asAdmin(admin, `alter database ${row?.name} ${change}`)
    await proxy.takeAway()
    await proxy.giveBack()
  }
  await outlives({
    begins: () => becomes('set default_transaction_read_only = on'),
    ends: () => becomes('reset default_transaction_read_only'),
    worker: () => work(pools),
  })
})

test('somebody holds the lock of the claim for longer than it is waited for', async () => {
  const client = connect(stage.target, { max: 4, statementMs: 400 })
  const holder = connect(stage.target, { max: 1 })
  let letGo: () => void = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const holding: Promise<unknown>[] = []
  const hold = () =>
    new Promise<void>((resolve) => {
      const holds = holder.begin(async (tx) => {
        await tx`select pg_advisory_xact_lock(hashtextextended('webhook claim', 0))`
        resolve()
        await held
      })
      holding.push(holds)
    })
  await outlives({ begins: hold, ends: letGo, worker: () => work({ db: databaseOver(client) }) })
  await Promise.all(holding)
  await endClient(client)
  await endClient(holder)
})

test('a holder of the lock that went silent is ended by the server, and the claims go on', async () => {
  const holder = connect(stage.target, { max: 1, statementMs: 600 })
  const holds = holder.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('webhook claim', 0))`
    await new Promise(() => {})
  })
  const ended = expect(holds).rejects.toMatchObject({ code: expect.stringMatching(/25P03|CONNECTION_CLOSED/) })
  const { say, receiver } = await stage.scene()
  await using _ = work()
  await say()
  await receiver.received(1)
  await ended
  await endClient(holder)
})

test('every connection of the pool is taken: claims wait for one', async () => {
  await using pools = openPools(stage.target)
  const { say, receiver } = await stage.scene()
  const taken = Array.from({ length: 64 }, () => pools.db.execute('select pg_sleep(0.1)'))
  await using _ = work(pools)
  await say()
  await Promise.all(taken)
  await receiver.received(1)
})

longTest('the network swallows what the claim sends', async () => {
  await using proxy = await createDatabaseProxy(stage.target)
  await using pools = openPools(proxy.target)
  await pools.db.execute('select 1')
  proxy.swallow()
  await outlives({ begins: () => {}, ends: proxy.passOn, worker: () => work(pools) })
})

longTest('the network swallows what the settling sends', async () => {
  await using proxy = await createDatabaseProxy(stage.target)
  await using pools = openPools(proxy.target)
  await outlives({ begins: proxy.swallow, ends: proxy.passOn, worker: () => work(pools) })
})
