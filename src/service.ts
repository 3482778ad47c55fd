import { openContext } from './compose.ts'
import type { Config } from './config.ts'
import type { Target } from './db/client.ts'
import type { Context } from './domain/context.ts'
import type { Life } from './lifecycle.ts'
import { drain, listen } from './listen.ts'
import { createHttpServer } from './rest/server.ts'
import { logger } from './telemetry/logger.ts'

export type ServiceOptions = {
  /** The database, once it is migrated. */
  findTarget: () => Promise<Target>
  /** Another process counts for this one. */
  isWorker?: boolean
}

/**
 * Listens at once and answers 503 until the database is there, then serves and delivers. Resolves when it is ready. When
 * it stops, requests and attempts end side by side, before the database may go.
 */
export async function openService(config: Config, life: Life, options: ServiceOptions): Promise<void> {
  const { findTarget, isWorker = false } = options
  const { opened } = life
  let ready: Context | undefined
  const { publicUrl, trustedProxies } = config
  const server = createHttpServer({ contextOf: () => ready, log: logger, publicUrl, trustProxy: trustedProxies })
  await listen(server, config)
  opened.defer(() => drain(server))

  ready = await openContext(config, { target: await findTarget(), opened, wake: () => {}, isWorker })
  opened.defer(() => drain(server))
}
