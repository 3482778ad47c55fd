import { setTimeout as after } from 'node:timers/promises'
import type { Config } from './config.ts'
import type { Target } from './db/client.ts'
import { startEmbedded } from './db/embedded/supervisor.ts'
import { isUnavailable } from './db/failure.ts'
import { migrateDatabase } from './db/migrate.ts'
import type { Life } from './lifecycle.ts'
import { logger } from './telemetry/logger.ts'

const ASK_AGAIN_MS = 1_000

/**
 * The database of this configuration, migrated and with its partitions: the embedded one, which stops with `opened`, or
 * that of `DATABASE_URL`, which is waited for. Throws one line when it cannot be had.
 */
export async function openStorage(config: Config, life: Life): Promise<Target> {
  const target = config.databaseUrl ?? (await openEmbedded(config, life))
  await migrateWhenReachable(config.directUrl ?? target, life.stopping)
  return target
}

async function openEmbedded({ dataDir }: Config, { opened, fail }: Life): Promise<Target> {
  const server = opened.use(await startEmbedded({ dataDir, log: (line) => logger.info(line) }))
  server.failed.then(fail, fail)
  return server.target
}

async function migrateWhenReachable(target: Target, stopping: AbortSignal): Promise<void> {
  const onWait = () => logger.info('Another process migrates the database')
  const tellOnce = once(() => logger.warn('The database does not answer yet: it is asked again every second'))
  for (;;) {
    const applied = await migrateDatabase(target, { onWait }).catch(ignoreUnavailable)
    if (applied !== undefined) {
      if (applied > 0) logger.info({ applied }, 'The database was migrated')
      return
    }
    tellOnce()
    await after(ASK_AGAIN_MS, undefined, { signal: stopping })
  }
}

function ignoreUnavailable(error: unknown): undefined {
  if (!isUnavailable(error)) throw error
}

function once(tell: () => void): () => void {
  let isTold = false
  return () => {
    if (!isTold) tell()
    isTold = true
  }
}
