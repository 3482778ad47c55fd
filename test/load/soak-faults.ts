import { setTimeout as after } from 'node:timers/promises'
import type { Sql } from 'postgres'
import type { createDatabaseProxy } from '../support/database-proxy.ts'
import type { Kept } from './soak-processes.ts'

/** A server that dies twice within a minute is given up, so its first process is killed more seldom. */
const POSTMASTER_APART_MS = 65_000
const AWAY_MS_MAX = 3_000
/** Longer than a worker holds what it has claimed. */
const STOPPED_MS = 35_000

type Parts = {
  services: Kept[]
  worker: Kept
  database: { pid: () => number }
  proxy: Awaited<ReturnType<typeof createDatabaseProxy>>
  /** A superuser's connection to `postgres`, and one to the database of the service. */
  look: Sql
  admin: Sql
}

/** Breaks something, and resolves with what it was when that is over; undefined when there was nothing to break. */
export type SoakFault = () => Promise<string | undefined>

export function soakFaults({ services, worker, database, proxy, look, admin }: Parts): SoakFault[] {
  let postmasterKilledAt = Number.NEGATIVE_INFINITY
  return [
    ...services.map((service) => async () => (service.kill() ? 'service' : undefined)),
    async () => (worker.kill() ? 'worker' : undefined),
    async () => (worker.stopFor(STOPPED_MS) ? 'worker stopped, and continued beyond its lease' : undefined),
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
      await aWhile()
      await proxy.giveBack()
      return 'network to the database'
    },
    async () => {
      proxy.swallow()
      await aWhile()
      proxy.passOn()
      return 'database frozen'
    },
    async () => {
      await admin.begin(async (tx) => {
        await tx.unsafe('lock table chat_messages in access exclusive mode')
        await aWhile()
      })
      return 'table locked'
    },
  ].map((fault) => () => fault().catch(() => undefined)) // the connections of the soak die as well
}

const aWhile = () => after(Math.random() * AWAY_MS_MAX)
