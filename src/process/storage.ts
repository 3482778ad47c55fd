import type { Config } from '../config.ts'
import type { DatabaseTarget } from '../db/client.ts'
import { startEmbedded } from '../db/embedded/supervisor.ts'
import type { Pooler } from '../db/session-settings.ts'
import { findShortcomings } from '../db/session-shortcomings.ts'
import type { DemoCredentials } from '../domain/demo/credentials.ts'
import { logger } from '../telemetry/logger.ts'
import type { ContextConfig } from './context.ts'
import { prepareDataDir } from './data-dir.ts'
import { writeDemo } from './demo.ts'
import type { Lifecycle } from './lifecycle.ts'
import { migrateAndLog } from './migration.ts'
import { waitForDatabase } from './wait-for-database.ts'

export type DatabaseConfig = Pick<Config, 'databaseUrl' | 'directUrl' | 'dataDir' | 'pooler'>

/** A migrated database, and the credentials of its demo data if the configuration asks for that. */
export type PreparedStorage = { target: DatabaseTarget; demo?: DemoCredentials | undefined }

/** Opens the database and writes the demo data, before anybody is served. */
export async function prepareStorage(
  config: DatabaseConfig & ContextConfig & Pick<Config, 'hasDemoData'>,
  lifecycle: Lifecycle,
): Promise<PreparedStorage> {
  const target = await openStorage(config, lifecycle)
  if (!config.hasDemoData) return { target }
  return { target, demo: await waitForDatabase(target, lifecycle.stopping, () => writeDemo(config, target)) }
}

/**
 * The database of this configuration, migrated and with its partitions: either that of `DATABASE_URL`, once it answers, or
 * the embedded one, which stops with `disposables`. Throws one line when it cannot be opened.
 */
export async function openStorage(config: DatabaseConfig, lifecycle: Lifecycle): Promise<DatabaseTarget> {
  const target = config.databaseUrl ?? (await openEmbedded(config.dataDir, lifecycle))
  const direct = config.directUrl ?? target
  await waitForDatabase(direct, lifecycle.stopping, () => migrate(direct, lifecycle.stopping))
  if (config.databaseUrl)
    await waitForDatabase(target, lifecycle.stopping, () => tellShortcomings(target, config.pooler))
  return target
}

/** A database of one's own may lack what the embedded one has. */
async function tellShortcomings(target: DatabaseTarget, pooler?: Pooler): Promise<void> {
  const { role, unlimited, sees_others } = await findShortcomings(target, pooler)
  if (unlimited.length > 0) {
    const remedy = `ALTER ROLE ${role} SET statement_timeout = '10s'; … lock_timeout = '2500ms'; … idle_in_transaction_session_timeout = '10s'`
    logger.warn({ unlimited, remedy }, 'Nothing ends what takes too long in the database: set its limits')
  }
  if (!sees_others) {
    const remedy = `GRANT pg_read_all_stats TO ${role}`
    logger.warn({ remedy }, 'Metrics and alerts do not see the transactions of other roles')
  }
}

async function openEmbedded(dataDir: string, { disposables, fail }: Lifecycle): Promise<DatabaseTarget> {
  prepareDataDir(dataDir)
  const server = disposables.use(await startEmbedded({ dataDir, log: (line) => logger.info(line) }))
  server.failed.then(fail, fail)
  return server.target
}

async function migrate(target: DatabaseTarget, stopping: AbortSignal): Promise<void> {
  const applied = await migrateAndLog(target, stopping)
  if (applied > 0) logger.info({ applied }, 'Database migrated')
}
