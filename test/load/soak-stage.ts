import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type DatabaseTarget } from '../../src/db/client.ts'
import { startEmbedded } from '../../src/db/embedded/supervisor.ts'
import { endClient } from '../../src/db/pools.ts'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { Disposables } from '../../src/process/disposables.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { freePort } from '../support/free-port.ts'
import { environment, startService } from '../support/process.ts'

/** A server that dies twice within a minute is given up, so its first process is killed more seldom. */
const POSTMASTER_APART_MS = 65_000
const RESTART_MS = 200
const AWAY_MS_MAX = 3_000

export type SoakStage = Awaited<ReturnType<typeof createSoakStage>>

/** Two processes that serve and one that delivers, over one database; what dies is started again, as a supervisor would. */
export async function createSoakStage(folder: string) {
  const opened = new Disposables()
  const database = opened.use(await startEmbedded({ dataDir: folder }))
  const proxy = opened.use(await createDatabaseProxy(database.target))
  const look = connect(database.admin, { max: 1, statementMs: 0 })
  const ledger = connect({ ...database.admin, database: 'app' }, { max: 1, statementMs: 0 })
  opened.defer(() => Promise.all([endClient(look), endClient(ledger)]))
  const env = {
    DATABASE_URL: addressOf(proxy.target),
    DATA_DIR: folder,
    SECRET_KEYS: randomBytes(32).toString('base64url'),
    WEBHOOK_ALLOW_PRIVATE: 'on',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
  }
  const demo = await makeDemo(env, folder) // builds what the others run
  const log = createWriteStream(join(folder, 'soak.log'))
  const ports = [await freePort(), await freePort()]
  const services = ports.map((port) => keep(['dist/main.js'], { ...env, PORT: String(port) }, log))
  const worker = keep(['bin/developer-api.mjs', 'worker'], env, log)
  for (const kept of [...services, worker]) opened.use(kept)
  const bases = ports.map((port) => `http://127.0.0.1:${port}`)
  await Promise.all(bases.map(untilReady))

  let postmasterKilledAt = Number.NEGATIVE_INFINITY
  /** Each kills something, and returns what; undefined when there was nothing to kill. */
  const faults: (() => Promise<string | undefined>)[] = [
    async () => (services[0]?.kill() ? 'service' : undefined),
    async () => (services[1]?.kill() ? 'service' : undefined),
    async () => (worker.kill() ? 'worker' : undefined),
    async () => {
      const backends = await look<{ pid: number }[]>`
        select pid from pg_stat_activity where datname = 'app' and pid <> pg_backend_pid()`.catch(() => [])
      const backend = backends[Math.floor(Math.random() * backends.length)]
      if (!backend) return undefined
      process.kill(backend.pid, 'SIGKILL') // PostgreSQL then ends all others and recovers
      return 'database backend'
    },
    async () => {
      if (performance.now() - postmasterKilledAt < POSTMASTER_APART_MS) return undefined
      postmasterKilledAt = performance.now()
      process.kill(database.pid(), 'SIGKILL')
      return 'database'
    },
    async () => {
      await proxy.takeAway()
      await new Promise((resolve) => setTimeout(resolve, Math.random() * AWAY_MS_MAX))
      await proxy.giveBack()
      return 'network to the database'
    },
  ]
  return {
    bases,
    demo,
    ledger,
    faults,
    untilReady: () => Promise.all(bases.map(untilReady)),
    /** How often each process ended although nobody had killed it. */
    endedAlone: () => [...services, worker].reduce((sum, kept) => sum + kept.endedAlone(), 0),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

function addressOf(target: DatabaseTarget): string {
  return typeof target === 'string'
    ? target
    : `postgres://${target.user}@${target.host}:${target.port}/${target.database}`
}

async function makeDemo(env: Record<string, string>, folder: string): Promise<DemoCredentials> {
  const service = await startService({ ...env, DEMO_DATA: 'on', WEBHOOK_WORKER: 'off' })
  if (!service.isReady) throw new Error(service.output.text.stderr)
  await service.stop()
  return DemoCredentials.parse(JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')))
}

/** Runs a process, and another one whenever it has ended, until it is disposed of. */
function keep(words: string[], env: Record<string, string>, log: NodeJS.WritableStream) {
  let child: ChildProcess
  let isStopping = false
  let isKilled = false
  let endedAlone = 0
  const start = () => {
    child = spawn(process.execPath, words, { env: environment(env) })
    child.stdout?.pipe(log, { end: false })
    child.stderr?.pipe(log, { end: false })
    child.once('exit', () => {
      if (isStopping) return
      if (!isKilled) endedAlone++
      isKilled = false
      setTimeout(start, RESTART_MS)
    })
  }
  start()
  return {
    kill: () => {
      isKilled = child.kill('SIGKILL')
      return isKilled
    },
    endedAlone: () => endedAlone,
    [Symbol.asyncDispose]: async () => {
      isStopping = true
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

async function untilReady(base: string): Promise<void> {
  for (;;) {
    const isReady = await fetch(`${base}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
