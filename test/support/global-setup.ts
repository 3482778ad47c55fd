import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { Target } from '../../src/db/client.ts'
import { startEmbedded } from '../../src/db/embedded/supervisor.ts'
import { type DatabaseServer, dropTemplate, makeTemplate } from './template.ts'

declare module 'vitest' {
  interface ProvidedContext {
    databaseServer: DatabaseServer
  }
}

// Nothing of a test outlives the machine's power, and without these a commit and a clone are several times cheaper.
const CARELESS = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: 300 }

let stop = async () => {}

/** One PostgreSQL for the run: TEST_DATABASE_URL, whose role may create databases, or the embedded one. */
export async function setup(project: TestProject): Promise<void> {
  const url = process.env.TEST_DATABASE_URL
  const admin = url ?? (await startServer())
  const server = await makeTemplate(admin)
  project.provide('databaseServer', server)
  if (url) stop = () => dropTemplate(server)
}

export const teardown = () => stop()

async function startServer(): Promise<Target> {
  const dataDir = mkdtempSync(join(tmpdir(), 'test-database-'))
  const embedded = await startEmbedded({ dataDir, settings: CARELESS })
  stop = async () => {
    await embedded.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return embedded.admin
}
