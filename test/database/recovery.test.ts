import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { isUnavailable } from '../../src/db/db-error.ts'
import { startEmbedded } from '../../src/db/embedded/supervisor.ts'
import { type Channels, listenToChannels } from '../../src/db/listener.ts'
import { announcer } from '../../src/db/notifier.ts'
import { openPools } from '../../src/db/pools.ts'
import { statement } from '../../src/db/statement.ts'
import { folderWithCluster } from '../support/process.ts'

/** A server of its own, for it is stopped, killed and frozen. */
const folder = folderWithCluster()
const dataDir = folder.path
const settings = { fsync: 'off' }
let server = await startEmbedded({ dataDir, settings })
const pools = openPools(server.target)
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  await server.stop()
  folder[Symbol.dispose]()
})

const ask = statement<[], { one: number }>('select 1 as one')
const askBehindLock = statement<[], { one: number }>('select 1 as one from pg_advisory_xact_lock_shared(1)')

/** Asks until there is an answer, as callers do that are told to try again; returns what they were told meanwhile. */
async function untilAnswered(limit = AbortSignal.timeout(10_000)): Promise<unknown[]> {
  const failures: unknown[] = []
  for (;;) {
    try {
      await pools.db.execute(sql`select 1`)
      return failures
    } catch (error) {
      failures.push(error)
      limit.throwIfAborted()
    }
  }
}

const killAll = sql`select pg_terminate_backend(pid, 1000) from pg_stat_activity where application_name = 'developer-api'`

/** A listener whose life is heard as events: up, down, and the name of each channel. */
function hear(channels: readonly string[], pingMs?: number) {
  const life = new EventEmitter()
  const handlers: Channels = Object.fromEntries(channels.map((channel) => [channel, () => life.emit(channel)]))
  const greeted = { ...handlers, greetings: () => {} }
  const listener = listenToChannels(server.target, greeted, {
    greeting: { channel: 'greetings', sender: 'test' },
    onUp: () => life.emit('up'),
    onDown: () => life.emit('down'),
    ...(pingMs && { pingMs }),
  })
  return { life, listener }
}

test('a read whose connection is lost is asked once more, and nobody notices', async () => {
  await ask(pools.db)
  await pools.slow.execute(killAll)
  expect(await Promise.all(Array.from({ length: 8 }, () => ask(pools.db)))).toEqual(
    Array.from({ length: 8 }, () => [{ one: 1 }]),
  )
})

test('also a read that was being answered, on whatever connections are left', async () => {
  const limit = AbortSignal.timeout(10_000)
  const asked = await pools.slow.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(1)`)
    const waiting = Promise.allSettled(Array.from({ length: 8 }, () => askBehindLock(pools.db)))
    for (let count = 0; count < 8; limit.throwIfAborted()) {
      const [row] = await pools.slow.execute<{ count: number }>(
        sql`select count(*)::int as count from pg_stat_activity where application_name = 'developer-api' and wait_event = 'advisory'`,
      )
      count = row?.count ?? 0
    }
    await pools.slow.execute(killAll)
    return { waiting }
  })
  expect(await asked.waiting).toEqual(Array.from({ length: 8 }, () => ({ status: 'fulfilled', value: [{ one: 1 }] })))
})

test('while the server is away everything is unavailable, and soon after it is back everyone is answered', async () => {
  await server.stop()
  const outage = untilAnswered()
  const callers = Promise.all(Array.from({ length: 8 }, () => untilAnswered()))
  await expect(ask(pools.db)).rejects.toSatisfy(isUnavailable)
  server = await startEmbedded({ dataDir, settings })
  const back = performance.now()
  const failures = [await outage, ...(await callers)].flat()
  expect(performance.now() - back).toBeLessThan(2_500)
  expect(failures.length).toBeGreaterThan(0)
  expect(failures.filter((failure) => !isUnavailable(failure))).toEqual([])
})

test('the listener comes back after its connection is cut and after a restart, and says so each time', async () => {
  const { life, listener } = hear(['news "quoted"'])
  await once(life, 'up')
  const announce = announcer(pools.db, 'news "quoted"')
  let heard = once(life, 'news "quoted"')
  announce()
  await heard

  let [up, down] = [once(life, 'up'), once(life, 'down')]
  await pools.slow.execute(
    sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'developer-api listen'`,
  )
  await Promise.all([up, down])
  heard = once(life, 'news "quoted"')
  announce()
  await heard

  ;[up, down] = [once(life, 'up'), once(life, 'down')]
  process.kill(server.pid(), 'SIGKILL') // the supervisor starts it again
  await Promise.all([up, down])
  await untilAnswered()
  heard = once(life, 'news "quoted"')
  announce()
  await heard
  await listener[Symbol.asyncDispose]()
})

test('many announcements at once are two notifications: the first, and one for all the others', async () => {
  const { life, listener } = hear(['burst', 'end'])
  let bursts = 0
  life.on('burst', () => bursts++)
  await once(life, 'up')
  const announce = announcer(pools.db, 'burst')
  const second = new Promise<void>((resolve) => {
    life.on('burst', () => bursts === 2 && resolve())
  })
  for (let i = 0; i < 100; i++) announce()
  await second
  const end = once(life, 'end')
  announcer(pools.db, 'end')()
  await end // notifications keep their order
  expect(bursts).toBe(2)
  await listener[Symbol.asyncDispose]()
})

test.skipIf(process.platform !== 'linux')(
  'the listener notices a server that only fell silent (needs /proc)',
  async () => {
    const { life, listener } = hear(['news'], 200)
    await once(life, 'up')
    const pid = server.pid()
    const backends = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
    const [down, up] = [once(life, 'down'), once(life, 'up')]
    for (const one of [pid, ...backends]) process.kill(one, 'SIGSTOP')
    await down
    for (const one of [pid, ...backends]) process.kill(one, 'SIGCONT')
    await up
    await listener[Symbol.asyncDispose]()
  },
)
