import { setTimeout as after } from 'node:timers/promises'
import type { Config } from './config.ts'
import { prepareDataFolder } from './data-folder.ts'
import type { Target } from './db/client.ts'
import { startEmbedded } from './db/embedded/supervisor.ts'
import { isUnavailable } from './db/failure.ts'
import { migrateDatabase } from './db/migrate.ts'
import type { Life } from './lifecycle.ts'
import { logger } from './telemetry/logger.ts'
import { reasonOf } from './telemetry/reason.ts'

const ASK_AGAIN_MS = 1_000
/** Enough to see that it still waits, and why. */
const TELL_EVERY_MS = 30_000

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
  prepareDataFolder(dataDir)
  const server = opened.use(await startEmbedded({ dataDir, log: (line) => logger.info(line) }))
  server.failed.then(fail, fail)
  return server.target
}

async function migrateWhenReachable(target: Target, stopping: AbortSignal): Promise<void> {
  const onWait = () => logger.info('Another process migrates the database')
  for (let toldAt = Number.NEGATIVE_INFINITY; ; ) {
    const failure = await migrateDatabase(target, { onWait }).then(tellApplied, unavailability)
    if (failure === undefined) return
    if (performance.now() - toldAt >= TELL_EVERY_MS) {
      tellOfWaiting(target, failure)
      toldAt = performance.now()
    }
    await after(ASK_AGAIN_MS, undefined, { signal: stopping })
  }
}

function tellApplied(applied: number): undefined {
  if (applied > 0) logger.info({ applied }, 'The database was migrated')
}

/** A failure that may pass. Throws any other. */
function unavailability(error: unknown): unknown {
  if (!isUnavailable(error)) throw error
  return error
}

function tellOfWaiting(target: Target, failure: unknown) {
  const facts = { database: hostOf(target), reason: reasonOf(failure) }
  logger.warn(facts, 'The database does not answer yet: it is asked again every second')
}

/** Host and port, without who is asking for what by which password. */
function hostOf(target: Target): string {
  if (typeof target !== 'string') return target.host
  const [, host = ''] = /^\w+:\/\/(?:[^/]*@)?([^/?#]*)/.exec(target) ?? [] // a list of hosts is no URL
  return host
}
