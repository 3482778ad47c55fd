import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Config } from '../../config.ts'
import { countForWorkers } from '../../counters/shared-counters.ts'
import { errorMessageOf } from '../../telemetry/error-message.ts'
import { logger } from '../../telemetry/logger.ts'
import { prepareStorage } from '../demo.ts'
import type { Lifecycle } from '../lifecycle.ts'
import { serveMetricsOf } from '../metrics/metrics.ts'
import { openService } from '../service.ts'
import { welcome } from '../welcome.ts'
import { gatherMetrics } from './metrics.ts'
import { type ClusterMessage, WorkerProcesses } from './workers.ts'

/**
 * The first of `WEB_CONCURRENCY` + 1 processes: it owns database, migrations, demo data and counters, and the others
 * serve. SIGHUP replaces those one after the other.
 */
export async function leadCluster(config: Config, life: Lifecycle, main: string): Promise<void> {
  countForWorkers()
  cluster.setupPrimary({ exec: main })
  await serveMetricsOf(config, life.opened, gatherMetrics)
  const listening = once(cluster, 'listening')
  const storage = listening.then(() => prepareStorage(config, life))
  const crew = new WorkerProcesses(config.processes, storage, life.stopping)
  const stopCrew = () => crew.stop()
  life.opened.defer(stopCrew)
  life.stopping.addEventListener('abort', stopCrew, { once: true })
  const started = crew.start()
  started.catch(() => {}) // awaited below, once there is a database for it
  await Promise.race([listening, started]) // a port that cannot be had is told before a database is made
  const outcomes = await Promise.allSettled([storage, storage.catch(stopCrew), started])
  life.opened.defer(stopCrew) // the last, so that the database goes after those that use it
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  welcome(config, (await storage).demo)
  process.on('SIGHUP', () => {
    logger.info('The processes are replaced, one after the other')
    crew.replaceAll().then(
      () => logger.info('The processes were replaced'),
      (error: unknown) => life.stopping.aborted || logger.error({ err: error }, 'The processes were not replaced'),
    )
  })
}

/**
 * One of the processes that serve. While the database is on its way it listens and answers 503; one that comes later
 * listens when it can answer, because its fellows do already.
 */
export async function serveInCluster(config: Config, life: Lifecycle): Promise<void> {
  process.on('SIGHUP', () => {}) // meant for the first process
  const tell = (message: ClusterMessage) => process.send?.(message)
  try {
    const [begin, database] = [hear('begin', life.stopping), hear('database', life.stopping)]
    database.catch(() => {}) // it may never be waited for
    tell({ kind: 'here' })
    const known = await begin
    const findTarget = async () => known.target ?? (await database).target
    await openService(config, life, { findTarget, isMember: true, listensFirst: known.target === undefined })
    tell({ kind: 'ready' })
  } catch (error) {
    if (life.stopping.aborted) throw error
    tell({ kind: 'failed', reason: errorMessageOf(error) }) // the first process says it, once for all, and ends this one
  }
}

type Heard<Kind extends ClusterMessage['kind']> = Extract<ClusterMessage, { kind: Kind }>

function hear<Kind extends ClusterMessage['kind']>(kind: Kind, stopping: AbortSignal): Promise<Heard<Kind>> {
  return new Promise((resolve, reject) => {
    const listen = (message: ClusterMessage) => {
      if (message.kind !== kind) return
      process.off('message', listen)
      resolve(message as Heard<Kind>) // by its kind
    }
    process.on('message', listen)
    stopping.addEventListener('abort', () => reject(stopping.reason), { once: true })
  })
}
