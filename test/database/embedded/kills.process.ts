import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { connect } from '../../../src/db/client.ts'
import { startEmbedded } from '../../../src/db/embedded/supervisor.ts'
import { endClient } from '../../../src/db/pools.ts'
import { children, hasWorked, hold, isAlive, kill, lacks, makeBase, parent, startHold, stop, until } from './held.ts'

const base = makeBase()
afterAll(base.dispose)
const dataDir = base.folder('data')
const missing = lacks({})
const linux = test.skipIf(missing)
const note = missing ? ` (${missing})` : ''

linux(`SIGKILL while the cluster is made leaves nothing in the way of the next start${note}`, async () => {
  const folder = join(dataDir, 'postgres')
  const first = startHold({ dataDir })
  await until(
    'initdb at work',
    () => existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('initdb-')),
  )
  kill(first.pid)
  const second = await hold({ dataDir })
  expect(second.isFresh).toBe(true)
  expect(readdirSync(folder).filter((name) => name.startsWith('initdb-'))).toEqual([])
  await stop(second)
})

linux(
  `SIGKILL of Node: the server stops by itself, and a start that does not wait for it succeeds${note}`,
  async () => {
    const first = await hold({ dataDir })
    kill(first.node)
    await until('the end of the server', () => !isAlive(first.server))
    const second = await hold({ dataDir })
    kill(second.node)
    await stop(await hold({ dataDir }))
  },
)

linux(`SIGKILL of Node and the watchdog leaves an orphan, which the next start stops${note}`, async () => {
  const first = await hold({ dataDir })
  const watchdog = parent(first.server)
  // the watcher, then Node, then the watchdog: nobody is left who could see the one before go, and act
  kill(...children(watchdog).filter((pid) => pid !== first.server), first.node, watchdog)
  await first.ended
  expect(isAlive(first.server)).toBe(true)
  const second = await hold({ dataDir })
  expect(isAlive(first.server)).toBe(false)
  await stop(second)
})

linux(`SIGKILL of everything while rows are written: no acknowledged row is lost${note}`, async () => {
  let acknowledged = 0
  for (let round = 0; round < 2; round++) {
    const running = await hold({ dataDir, write: acknowledged + round + 1 })
    expect(running.rows).toBeGreaterThanOrEqual(acknowledged)
    const enough = 20 + Math.floor(Math.random() * 200)
    await until(`${enough} rows`, () => running.lines.length > enough)
    kill(parent(running.server), running.node, running.server)
    await running.ended
    acknowledged += running.lines.filter((line) => Number(line) > 0).length // not what it said of the watchdog's end
  }
  const last = await hold({ dataDir })
  expect(last.rows).toBeGreaterThanOrEqual(acknowledged)
  await stop(last)
})

linux(`a backend that outlives its postmaster holds the folder, and the next start waits for it${note}`, async () => {
  const first = await hold({ dataDir, settings: { client_connection_check_interval: 0 } })
  const client = connect({ host: first.host, port: 5432, user: 'app', database: 'app' }, { max: 1, statementMs: 0 })
  const [row] = await client<[{ pid: number }]>`select pg_backend_pid() as pid`
  const busy = client`select count(*) from generate_series(1, 1000000) as g where md5(md5(g::text)) = 'x'`.catch(
    () => {},
  )
  await until('the backend at work', () => hasWorked(row.pid))
  kill(first.server, first.node, parent(first.server)) // Node's end before the server's would have it told to stop
  await first.ended
  expect(isAlive(row.pid)).toBe(true)
  const second = await hold({ dataDir })
  expect(isAlive(row.pid)).toBe(false)
  await busy
  await endClient(client)
  await stop(second)
})

const needsFlock = lacks({ tools: ['flock'] })
const locking = needsFlock ? ` (${needsFlock})` : ''

test.skipIf(needsFlock)(
  `SIGKILL of Node while its start waits for the folder leaves no server behind${locking}`,
  async () => {
    await stop(await hold({ dataDir }))
    const lock = join(dataDir, 'postgres', 'lock')
    const holder = spawn('flock', [lock, 'cat'])
    await until('the folder locked', () => children(holder.pid ?? 0).length > 0)
    const waiting = startHold({ dataDir })
    const [pid = 0, ended] = [waiting.pid, once(waiting, 'exit')]
    await until('its watchdog waits', () => children(pid).some((watchdog) => children(watchdog).length > 0))
    const [watchdog = 0] = children(pid)
    kill(pid)
    await ended
    holder.stdin.end()
    await until('the end of its watchdog', () => !isAlive(watchdog))
    expect(spawnSync('flock', ['-n', lock, 'true']).status).toBe(0)
  },
)

linux(
  `a server that dies alone is started again, the pool goes on; a second time within a minute ends it${note}`,
  async () => {
    const server = await startEmbedded({ dataDir })
    const client = connect(server.target, { max: 2 })
    const first = server.pid()
    kill(first)
    await untilAnswered(client)
    expect(server.pid()).not.toBe(first)
    kill(server.pid())
    expect((await server.failed).message).toMatch(
      /^PostgreSQL exited twice within a minute \(137\): see .+postgres\.log$/,
    )
    await endClient(client)
    await server.stop()
  },
)

/** Asks until there is an answer: what callers do, who are told to try again. */
async function untilAnswered(client: ReturnType<typeof connect>): Promise<void> {
  const limit = AbortSignal.timeout(15_000)
  for (let answered = false; !answered; ) {
    limit.throwIfAborted()
    answered = await client`select 1`.then(
      () => true,
      () => false,
    )
  }
}
