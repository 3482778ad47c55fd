import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { Config } from './config.ts'
import { Crew, type Message } from './crew.ts'
import type { Target } from './db/client.ts'
import { countForWorkers } from './db/shared-counters.ts'
import { prepareStorage } from './demo-file.ts'
import type { Life } from './lifecycle.ts'
import { openService } from './service.ts'
import { logger } from './telemetry/logger.ts'
import { reasonOf } from './telemetry/reason.ts'
import { welcome } from './welcome.ts'

/**
 * The first of `WEB_CONCURRENCY` + 1 processes: it owns database, migrations, demo data and counters, and the others
 * serve. SIGHUP replaces those one after the other.
 */
export async function leadCluster(config: Config, life: Life): Promise<void> {
  countForWorkers()
  const self = import.meta.url
  cluster.setupPrimary({ exec: fileURLToPath(new URL(`./main${self.slice(self.lastIndexOf('.'))}`, self)) })
  const storage = prepareStorage(config, life)
  const crew = new Crew(config.processes, storage, life.stopping)
  const stopCrew = () => crew.stop()
  const outcomes = await Promise.allSettled([storage, storage.catch(stopCrew), crew.start()])
  life.opened.defer(stopCrew) // the last, so that the database goes after those that use it
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  welcome(config, (await storage).demo)
  process.on('SIGHUP', () => {
    crew.replaceAll().catch((error: unknown) => logger.error({ err: error }, 'The processes were not replaced'))
  })
}

/** One of the processes that serve: it listens at once, and is told where the database is. */
export async function serveInCluster(config: Config, life: Life): Promise<void> {
  process.on('SIGHUP', () => {}) // meant for the first process
  const tell = (message: Message) => process.send?.(message)
  try {
    await openService(config, life, { findTarget: () => hearTarget(life.stopping), isMember: true })
    tell({ kind: 'ready' })
  } catch (error) {
    // the first process says it, once for all, and ends this one
    tell({ kind: 'failed', reason: reasonOf(error) })
  }
}

function hearTarget(stopping: AbortSignal): Promise<Target> {
  return new Promise((resolve, reject) => {
    process.on('message', (message: Message) => {
      if (message.kind === 'database') resolve(message.target)
    })
    stopping.addEventListener('abort', () => reject(stopping.reason), { once: true })
  })
}
