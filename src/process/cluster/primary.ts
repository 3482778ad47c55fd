import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Config } from '../../config.ts'
import { countForWorkers } from '../../counters/shared-counters.ts'
import { reasonOf } from '../../telemetry/error-message.ts'
import { logger } from '../../telemetry/logger.ts'
import { prepareStorage } from '../demo.ts'
import type { Life } from '../lifecycle.ts'
import { serveFigures } from '../metrics/metrics.ts'
import { openService } from '../service.ts'
import { welcome } from '../welcome.ts'
import { gatherFigures } from './metrics.ts'
import { Crew, type Message } from './workers.ts'

/**
 * The first of `WEB_CONCURRENCY` + 1 processes: it owns database, migrations, demo data and counters, and the others
 * serve. SIGHUP replaces those one after the other.
 */
export async function leadCluster(config: Config, life: Life, main: string): Promise<void> {
  countForWorkers()
  cluster.setupPrimary({ exec: main })
  await serveFigures(config, life.opened, gatherFigures)
  const listening = once(cluster, 'listening')
  const storage = listening.then(() => prepareStorage(config, life))
  const crew = new Crew(config.processes, storage, life.stopping)
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
export async function serveInCluster(config: Config, life: Life): Promise<void> {
  process.on('SIGHUP', () => {}) // meant for the first process
  const tell = (message: Message) => process.send?.(message)
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
    tell({ kind: 'failed', reason: reasonOf(error) }) // the first process says it, once for all, and ends this one
  }
}

type Heard<Kind extends Message['kind']> = Extract<Message, { kind: Kind }>

function hear<Kind extends Message['kind']>(kind: Kind, stopping: AbortSignal): Promise<Heard<Kind>> {
  return new Promise((resolve, reject) => {
    const listen = (message: Message) => {
      if (message.kind !== kind) return
      process.off('message', listen)
      resolve(message as Heard<Kind>) // by its kind
    }
    process.on('message', listen)
    stopping.addEventListener('abort', () => reject(stopping.reason), { once: true })
  })
}
