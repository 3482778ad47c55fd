import { randomBytes } from 'node:crypto'
import { connect, type DatabaseTarget, databaseOver } from '../../src/db/client.ts'
import { migrateDatabase } from '../../src/db/migrate.ts'
import { makePartitions } from '../../src/db/partitions.ts'
import { endClient } from '../../src/db/pools.ts'

/** The time at which the clock of a test stands until the test moves it. */
const TEST_TIME = '2026-01-02T03:04:05.678Z'

/**
 * Where databases of tests are made, and the migrated one that they are copies of. `cluster` is what initdb made, for
 * processes that start a server of their own; not there where TEST_DATABASE_URL names a server.
 */
export type DatabaseServer = { admin: DatabaseTarget; template: string; cluster?: string }

/** The same server, another database. */
export function inDatabase(target: DatabaseTarget, database: string): DatabaseTarget {
  if (typeof target !== 'string') return { ...target, database }
  const url = new URL(target)
  url.pathname = `/${database}`
  return url.href
}

/** Makes the template of this run; its name is random, so that runs may share a server. */
export async function makeTemplate(admin: DatabaseTarget): Promise<{ admin: DatabaseTarget; template: string }> {
  const template = `template_${randomBytes(6).toString('hex')}`
  await asAdmin(admin, `create database ${template}`)
  await migrateDatabase(inDatabase(admin, template), { ahead: 1 })
  await makeTestPartitions(inDatabase(admin, template))
  // CREATE DATABASE wants its template without connections
  await asAdmin(admin, `alter database ${template} with is_template true allow_connections false`)
  return { admin, template }
}

export async function dropTemplate({ admin, template }: DatabaseServer): Promise<void> {
  await asAdmin(admin, `alter database ${template} with is_template false`)
  await asAdmin(admin, `drop database ${template} with (force)`)
}

/** Runs one statement as the superuser, outside of any test's database. */
export async function asAdmin(admin: DatabaseTarget, statement: string): Promise<void> {
  const client = connect(admin, { max: 1, statementMs: 0 })
  try {
    await client.unsafe(statement)
  } finally {
    await endClient(client)
  }
}

/**
 * Identifiers carry the time of their birth, and a row wants the partition of that time. Most tests stand still on a day in
 * January, those of whole processes live today, for which the migration has made some. Each partition is five files to copy
 * for every test database, so there are no more than these; a test that travels further makes its own.
 */
async function makeTestPartitions(target: DatabaseTarget): Promise<void> {
  const client = connect(target, { max: 1, statementMs: 0 })
  try {
    await makePartitions(databaseOver(client), new Date(TEST_TIME), { back: 1, ahead: 3 })
  } finally {
    await endClient(client)
  }
}
