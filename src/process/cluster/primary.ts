import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Config } from '../../config.ts'
import { countForWorkers } from '../../counters/shared-counters.ts'
import { errorMessageOf } from '../../telemetry/error-message.ts'
import { logger } from '../../telemetry/logger.ts'
import { Disposables } from '../disposables.ts'
import type { Lifecycle } from '../lifecycle.ts'
import { serveMetricsOf } from '../metrics/metrics.ts'
import { openService } from '../service.ts'
import { prepareStorage } from '../storage.ts'
import { welcome } from '../welcome.ts'
import { gatherMetrics } from './metrics.ts'
import { type ClusterMessage, WorkerProcesses } from './worker-processes.ts'

/**
 * The primary of a cluster of `WEB_CONCURRENCY` worker processes: it owns the database, migrations, demo data and counters,
 * and the workers serve. On SIGHUP it replaces the workers one after the other. The workers stop before the database.
 */
export async function leadCluster(config: Config, lifecycle: Lifecycle, mainFile: string): Promise<void> {
  const { disposables, stopping } = lifecycle
  countForWorkers()
  cluster.setupPrimary({ exec: mainFile })
  await serveMetricsOf(config, disposables, gatherMetrics)
  const backend = disposables.use(new Disposables())

  const listening = once(cluster, 'listening')
  const storage = listening.then(() => prepareStorage(config, { ...lifecycle, disposables: backend }))
  const workers = new WorkerProcesses(config.processes, storage, stopping)
  const stopWorkers = () => workers.stop()
  disposables.defer(stopWorkers)
  stopping.addEventListener('abort', stopWorkers, { once: true }) // what follows waits for workers that may never be ready

  const started = workers.start()
  started.catch(() => {}) // awaited below
  await Promise.race([listening, started]) // reports an occupied port before a database is created
  const outcomes = await Promise.allSettled([storage, storage.catch(stopWorkers), started])
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw failed.reason
  process.on('SIGHUP', () => void replaceAll(workers, stopping))
  welcome(config, (await storage).demo)
}

async function replaceAll(workers: WorkerProcesses, stopping: AbortSignal): Promise<void> {
  logger.info('Rolling restart of the worker processes started')
  try {
    await workers.replaceAll()
    logger.info('Rolling restart of the worker processes finished')
  } catch (error) {
    if (!stopping.aborted) logger.error({ err: error }, 'Rolling restart of the worker processes failed')
  }
}

/**
 * A worker process. The first ones listen at once and answer 503 until the database is ready. A replacement listens only when
 * it can answer, because the others already do.
 */
export async function serveInCluster(config: Config, lifecycle: Lifecycle): Promise<void> {
  process.on('SIGHUP', () => {}) // the signal is meant for the primary
  const { stopping } = lifecycle
  const send = (message: ClusterMessage) => process.send?.(message)
  try {
    const [begin, database] = [messageOf('begin', stopping), messageOf('database', stopping)]
    database.catch(() => {}) // a replacement never waits for it
    send({ kind: 'here' })
    const { target: known } = await begin
    const openStorage = async () => ({ target: known ?? (await database).target })
    await openService(config, lifecycle, { openStorage, isMember: true, listensFirst: known === undefined })
    send({ kind: 'ready' })
  } catch (error) {
    if (stopping.aborted) throw error
    send({ kind: 'failed', reason: errorMessageOf(error) }) // the primary reports it, once for all workers, and ends this one
  }
}

type MessageOf<Kind extends ClusterMessage['kind']> = Extract<ClusterMessage, { kind: Kind }>

/** The first message of this kind from the primary. Rejects when the process is told to stop. */
function messageOf<Kind extends ClusterMessage['kind']>(kind: Kind, stopping: AbortSignal): Promise<MessageOf<Kind>> {
  return new Promise((resolve, reject) => {
    const receive = (message: ClusterMessage) => {
      if (message.kind !== kind) return
      process.off('message', receive)
      resolve(message as MessageOf<Kind>) // by its kind
    }
    process.on('message', receive)
    stopping.addEventListener('abort', () => reject(stopping.reason), { once: true })
  })
}
