import type { Config } from '../config.ts'
import type { DatabaseTarget } from '../db/client.ts'
import { findEmbedded } from '../db/embedded/owner.ts'
import { countPending } from '../db/migrate.ts'
import type { Context } from '../domain/core/context.ts'
import { WakeHub } from '../domain/events/wake-hub.ts'
import { notifyCommits } from './background/notifications.ts'
import { openContext } from './context.ts'
import { Disposables } from './disposables.ts'
import type { Lifecycle } from './lifecycle.ts'
import { openStorage } from './storage.ts'

/**
 * Runs `work` over the database of `DATABASE_URL`, over that of the service that runs from the same `DATA_DIR`, or over
 * the embedded one, started for as long as it takes. What it causes wakes the running service.
 */
export async function withContext<Result>(config: Config, work: (ctx: Context) => Promise<Result>): Promise<Result> {
  await using opened = new Disposables()
  const target = await findDatabase(config, opened)
  const waker = new WakeHub()
  const ctx = await openContext(config, { target, opened, wake: waker.wake, onWake: waker.onWake })
  using _announcement = notifyCommits(ctx, waker)
  const pending = await countPending(ctx.db)
  if (pending > 0) throw new Error(`The database lacks ${pending} migrations: run "developer-api migrate"`)
  return await work(ctx)
}

/** The database as it is where somebody else keeps it, brought up to this release where nobody does. */
export async function findDatabase(config: Config, opened: Disposables): Promise<DatabaseTarget> {
  const running = config.databaseUrl ?? findEmbedded(config.dataDir)?.target
  return running ?? openStorage(config, lifeOf(opened))
}

/** For a command: signals end it at once, and the embedded server ends with it. */
function lifeOf(opened: Disposables): Lifecycle {
  const fail = (reason: unknown) => {
    throw reason
  }
  return { opened, stopping: new AbortController().signal, fail }
}
