import { pino } from 'pino'
import { openPools } from '../../src/db/pools.ts'
import { watchStatements } from '../../src/process/metrics/statements.ts'
import { createTestDatabase } from './database.ts'
import { createDatabaseProxy } from './database-proxy.ts'

/** A database that a test can take away, with pools that are watched as those of the service are; `lines`: what that logs. `cutAt` as of the proxy. */
export async function createDistantDatabase(options: { cutAt?: string } = {}) {
  const database = await createTestDatabase()
  const proxy = await createDatabaseProxy(database.target, options)
  const lines: Record<string, unknown>[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const pools = openPools(proxy.target, watchStatements({ log }))
  return {
    proxy,
    pools,
    lines,
    [Symbol.asyncDispose]: async () => {
      for (const opened of [pools, proxy, database]) await opened[Symbol.asyncDispose]()
    },
  }
}
