import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import type { Database, Target } from '../../src/db/client.ts'
import { openPools } from '../../src/db/pools.ts'
import { asAdmin, inDatabase } from './template.ts'

export type TestDatabase = AsyncDisposable & {
  db: Database
  slow: Database
  /** For processes and listeners that connect by themselves. */
  target: Target
}

/** A migrated database of its own, with pools as the service opens them. Dropped, connections and all, when disposed of. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { admin, template } = inject('databaseServer')
  const name = `test_${randomBytes(6).toString('hex')}`
  await asAdmin(admin, `create database ${name} template ${template} strategy file_copy`)
  const target = inDatabase(admin, name)
  const pools = openPools(target)
  return {
    db: pools.db,
    slow: pools.slow,
    target,
    [Symbol.asyncDispose]: async () => {
      await pools[Symbol.asyncDispose]()
      await asAdmin(admin, `drop database ${name} with (force)`)
    },
  }
}
