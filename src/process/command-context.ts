import type { DatabaseTarget } from '../db/client.ts'
import { findEmbedded } from '../db/embedded/owner.ts'
import { countPending } from '../db/migrate.ts'
import type { Context } from '../domain/core/context.ts'
import { WakeHub } from '../domain/events/wake-hub.ts'
import { notifyCommits } from './background/notifications.ts'
import { type ContextConfig, openContext } from './context.ts'
import { Disposables } from './disposables.ts'
import { type DatabaseConfig, openStorage } from './storage.ts'

/**
 * Runs `work` over the database of `DATABASE_URL`, over that of a service that runs on the same `DATA_DIR`, or over the
 * embedded one, which is started for the purpose. Events that `work` emits wake the running service.
 */
export async function withContext<Result>(
  config: DatabaseConfig & ContextConfig,
  work: (ctx: Context) => Promise<Result>,
): Promise<Result> {
  await using disposables = new Disposables()
  const target = await findDatabase(config, disposables)
  const wakeHub = new WakeHub()
  const ctx = await openContext(config, { target, disposables, wake: wakeHub.wake, onWake: wakeHub.onWake })
  await using _notifications = notifyCommits(ctx, wakeHub)
  const pending = await countPending(ctx.db)
  if (pending > 0) throw new Error(`The database lacks ${pending} migrations: run "developer-api migrate"`)
  return await work(ctx)
}

/** A database that another process runs is left as it is; the embedded one is started and migrated. */
export async function findDatabase(config: DatabaseConfig, disposables: Disposables): Promise<DatabaseTarget> {
  const running = config.databaseUrl ?? findEmbedded(config.dataDir)?.target
  return running ?? openStorage(config, { disposables, stopping: new AbortController().signal, fail: rethrow })
}

/** A command has no shutdown of its own: an uncaught error, like a signal, ends it and with it the embedded server. */
function rethrow(reason: unknown) {
  throw reason
}
