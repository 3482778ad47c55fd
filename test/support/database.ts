import { randomBytes } from 'node:crypto'
import type { Sql } from 'postgres'
import { inject } from 'vitest'
import { connect, type Database, type DatabaseTarget } from '../../src/db/client.ts'
import { openPools } from '../../src/db/pools.ts'
import { inDatabase } from './template.ts'

export type TestDatabase = AsyncDisposable & {
  db: Database
  slow: Database
  /** For processes and listeners that connect by themselves. */
  target: DatabaseTarget
}

/** A migrated database of its own, with pools as the service opens them. Dropped, connections and all, when disposed of. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { template } = inject('databaseServer')
  const { target, drop } = await createDatabase(`template ${template} strategy file_copy`)
  const pools = openPools(target)
  return {
    db: pools.db,
    slow: pools.slow,
    target,
    [Symbol.asyncDispose]: async () => {
      await pools[Symbol.asyncDispose]()
      await drop()
    },
  }
}

/** A database without a single table. */
export async function createEmptyDatabase(): Promise<AsyncDisposable & { target: DatabaseTarget }> {
  const { target, drop } = await createDatabase('')
  return { target, [Symbol.asyncDispose]: drop }
}

let admin: Sql | undefined

async function createDatabase(how: string) {
  const server = inject('databaseServer')
  admin ??= connect(server.admin, { max: 2, statementMs: 0 }) // kept by the worker: to connect costs more than to clone
  const client = admin
  const name = `test_${randomBytes(6).toString('hex')}`
  await client.unsafe(`create database ${name} ${how}`)
  const drop = async () => void (await client.unsafe(`drop database ${name} with (force)`))
  return { target: inDatabase(server.admin, name), drop }
}
