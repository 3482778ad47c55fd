import type { Config } from '../config.ts'
import type { DatabaseTarget } from '../db/client.ts'
import { startEmbedded } from '../db/embedded/supervisor.ts'
import { migrateDatabase } from '../db/migrate.ts'
import { logger } from '../telemetry/logger.ts'
import { prepareDataDir } from './data-dir.ts'
import type { Lifecycle } from './lifecycle.ts'
import { waitForDatabase } from './wait-for-database.ts'

/**
 * The database of this configuration, migrated and with its partitions: the embedded one, which stops with `opened`, or
 * that of `DATABASE_URL`, which is waited for. Throws one line when it cannot be had.
 */
export async function openStorage(config: Config, life: Lifecycle): Promise<DatabaseTarget> {
  const target = config.databaseUrl ?? (await openEmbedded(config, life))
  const direct = config.directUrl ?? target
  await waitForDatabase(direct, life.stopping, () => migrate(direct))
  return target
}

async function openEmbedded({ dataDir }: Config, { opened, fail }: Lifecycle): Promise<DatabaseTarget> {
  prepareDataDir(dataDir)
  const server = opened.use(await startEmbedded({ dataDir, log: (line) => logger.info(line) }))
  server.failed.then(fail, fail)
  return server.target
}

async function migrate(target: DatabaseTarget): Promise<void> {
  const onWait = () => logger.info('Another process migrates the database')
  const applied = await migrateDatabase(target, { onWait })
  if (applied > 0) logger.info({ applied }, 'The database was migrated')
}
