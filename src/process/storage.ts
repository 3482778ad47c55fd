import type { Config } from '../config.ts'
import type { Target } from '../db/client.ts'
import { startEmbedded } from '../db/embedded/supervisor.ts'
import { migrateDatabase } from '../db/migrate.ts'
import { logger } from '../telemetry/logger.ts'
import { prepareDataFolder } from './data-dir.ts'
import type { Life } from './lifecycle.ts'
import { whenReachable } from './wait-for-database.ts'

/**
 * The database of this configuration, migrated and with its partitions: the embedded one, which stops with `opened`, or
 * that of `DATABASE_URL`, which is waited for. Throws one line when it cannot be had.
 */
export async function openStorage(config: Config, life: Life): Promise<Target> {
  const target = config.databaseUrl ?? (await openEmbedded(config, life))
  const direct = config.directUrl ?? target
  await whenReachable(direct, life.stopping, () => migrate(direct))
  return target
}

async function openEmbedded({ dataDir }: Config, { opened, fail }: Life): Promise<Target> {
  prepareDataFolder(dataDir)
  const server = opened.use(await startEmbedded({ dataDir, log: (line) => logger.info(line) }))
  server.failed.then(fail, fail)
  return server.target
}

async function migrate(target: Target): Promise<void> {
  const onWait = () => logger.info('Another process migrates the database')
  const applied = await migrateDatabase(target, { onWait })
  if (applied > 0) logger.info({ applied }, 'The database was migrated')
}
