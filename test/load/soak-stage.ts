import { randomBytes } from 'node:crypto'
import { createWriteStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { connect } from '../../src/db/client.ts'
import { startEmbedded } from '../../src/db/embedded/supervisor.ts'
import { endClient } from '../../src/db/pools.ts'
import { DemoCredentials } from '../../src/domain/demo/credentials.ts'
import { Disposables } from '../../src/process/disposables.ts'
import { createDatabaseProxy, urlOf } from '../support/database-proxy.ts'
import { freePort } from '../support/free-port.ts'
import { startService } from '../support/process.ts'
import { soakFaults } from './soak-faults.ts'
import { keep, untilReady } from './soak-processes.ts'

/** The clock of a process that is 40 days ahead of all others. */
const WRONG_CLOCK = `data:text/javascript,${encodeURIComponent(`
  const Right = Date, aheadMs = 40 * 86_400_000
  globalThis.Date = class extends Right {
    constructor(...given) { given.length > 0 ? super(...given) : super(Right.now() + aheadMs) }
    static now() { return Right.now() + aheadMs }
  }`)}`

export type SoakStage = Awaited<ReturnType<typeof createSoakStage>>

/**
 * Two processes that serve and one that delivers, over one database, and one whose clock is wrong, which does nobody harm;
 * what dies is started again, as a supervisor would.
 */
export async function createSoakStage(folder: string) {
  const opened = new Disposables()
  const database = opened.use(await startEmbedded({ dataDir: folder }))
  const proxy = opened.use(await createDatabaseProxy(database.target))
  const look = connect(database.admin, { max: 1, statementMs: 0 })
  const ledger = connect({ ...database.admin, database: 'app' }, { max: 1, statementMs: 0 })
  const admin = connect({ ...database.admin, database: 'app' }, { max: 1, statementMs: 0 })
  opened.defer(() => Promise.all([look, ledger, admin].map(endClient)))
  const env = {
    DATABASE_URL: urlOf(proxy.target),
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
  const wrongPort = await freePort()
  const wrong = keep(['--import', WRONG_CLOCK, 'dist/main.js'], { ...env, PORT: String(wrongPort) }, log)
  const kept = [...services, worker, wrong]
  for (const one of kept) opened.use(one)
  const bases = ports.map((port) => `http://127.0.0.1:${port}`)
  await Promise.all(bases.map(untilReady))
  await giveToOutsider(ledger, demo)
  await growOld(ledger, demo)

  return {
    bases,
    demo,
    ledger,
    faults: soakFaults({ services, worker, database, proxy, look, admin }),
    /** Of the process whose clock is wrong: it must not be ready. */
    wrongBase: `http://127.0.0.1:${wrongPort}`,
    untilReady: () => Promise.all(bases.map(untilReady)),
    /** How often each process ended although nobody had killed it. */
    endedAlone: () => kept.reduce((sum, one) => sum + one.endedAlone(), 0),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

async function makeDemo(env: Record<string, string>, folder: string): Promise<DemoCredentials> {
  const service = await startService({ ...env, DEMO_DATA: 'on', WEBHOOK_WORKER: 'off' })
  if (!service.isReady) throw new Error(service.output.text.stderr)
  await service.stop()
  return DemoCredentials.parse(JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')))
}

/** The other application of the demo is a stranger's, whose receivers are slow: one account beside that of all others. */
async function giveToOutsider(ledger: Sql, { users, other_client }: DemoCredentials) {
  await ledger`update clients set owner_id = ${users.outsider.id} where id = ${other_client.client_id}`
}

/** Accounts have a share of their own in their first week, which is less than all that is sent here. The stranger stays new. */
async function growOld(ledger: Sql, { users }: DemoCredentials) {
  await ledger`update users set created_at = created_at - interval '8 days' where id <> ${users.outsider.id}`
}
