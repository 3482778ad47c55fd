import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { ensureCluster } from '../../src/db/embedded/initdb.ts'
import { preparePaths } from '../../src/db/embedded/paths.ts'
import { startEmbedded } from '../../src/db/embedded/supervisor.ts'
import { copyFolder, removeOldFolders, temporaryFolder } from './folder.ts'
import { type DatabaseServer, dropTemplate, makeTemplate } from './template.ts'

declare module 'vitest' {
  interface ProvidedContext {
    databaseServer: DatabaseServer
  }
}

// Nothing of a test outlives the machine's power, and without these a commit and a clone are several times cheaper.
const CARELESS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off', // no database lives long enough
  checkpoint_timeout: '1d', // each CREATE DATABASE makes one
  max_connections: 300,
}

let stop = async () => {}

/** One PostgreSQL for the run: TEST_DATABASE_URL, whose role may create databases, or the embedded one. */
export async function setup(project: TestProject): Promise<void> {
  const url = process.env.TEST_DATABASE_URL
  if (url) {
    const server = await makeTemplate(url)
    stop = () => dropTemplate(server)
    return project.provide('databaseServer', server)
  }
  const { admin, cluster } = await startServer()
  project.provide('databaseServer', { ...(await makeTemplate(admin)), cluster })
}

export const teardown = () => stop()

async function startServer() {
  removeOldFolders()
  const folder = temporaryFolder()
  const paths = preparePaths(folder.path, undefined, () => {})
  await ensureCluster(paths)
  const untouched = join(folder.path, 'untouched')
  mkdirSync(untouched)
  copyFolder(paths.dir, untouched)
  const embedded = await startEmbedded({ dataDir: folder.path, settings: CARELESS })
  stop = async () => {
    await embedded.stop()
    using _ = folder
    requireNoCrash(join(folder.path, 'postgres', 'postgres.log'))
  }
  return { admin: embedded.admin, cluster: join(untouched, 'postgres') }
}

/** A crash of the server takes every connection of both workers with it, and would look like faults of single tests. */
function requireNoCrash(logFile: string) {
  const lines = readFileSync(logFile, 'utf8').split('\n')
  const crashes = lines.filter((line) => /PANIC|was terminated by signal|No space left/.test(line))
  if (crashes.length === 0) return
  process.exitCode = 1 // an error here is shown, but does not fail the run
  throw new Error(`PostgreSQL of the tests crashed:\n${crashes.join('\n')}`)
}
