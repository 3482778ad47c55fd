import type { Config } from '../../config.ts'
import type { Context } from '../../domain/core/context.ts'
import type { Occupancy } from '../../rest/http/load-limit.ts'
import type { Figures } from '../../telemetry/metrics.ts'
import type { ProcessMetrics } from '../../telemetry/process-metrics.ts'
import type { Opened } from '../disposables.ts'
import { deliveryMirrors, poolFigures, requestFigures } from './process.ts'

/** The figures of this process, where `METRICS_PORT` wants them. The library behind them is loaded only then. */
export async function openMetrics(config: Config, occupancy?: Occupancy): Promise<ProcessMetrics | undefined> {
  if (config.metricsPort === undefined) return undefined
  const { ProcessMetrics } = await import('../../telemetry/process-metrics.ts')
  const metrics = new ProcessMetrics()
  metrics.mirror(...poolFigures(), ...deliveryMirrors(), ...(occupancy ? requestFigures(occupancy) : []))
  return metrics
}

export type Meter = { metrics: ProcessMetrics; contextOf: () => Context | undefined }

/** The figures of this process and, if wanted, of its database. */
export async function collectFigures({ metrics, contextOf }: Meter, withDatabase: boolean): Promise<Figures[]> {
  const { collectDatabaseFigures } = await import('./database.ts')
  return Promise.all([metrics.collect(), ...(withDatabase ? [collectDatabaseFigures(contextOf())] : [])])
}

/** Serves the figures of a process that is alone, until `opened` closes. */
export async function publishMetrics(config: Config, opened: Opened, meter: Meter): Promise<void> {
  await serveFigures(config, opened, () => collectFigures(meter, true))
}

/** Serves what `collect` finds, added up, on `METRICS_PORT`, if there is one. */
export async function serveFigures(config: Config, opened: Opened, collect: () => Promise<Figures[]>): Promise<void> {
  const { metricsPort, host } = config
  if (metricsPort === undefined) return
  const { serveMetrics } = await import('./server.ts')
  const { exposition } = await import('../../telemetry/exposition.ts')
  opened.use(await serveMetrics({ metricsPort, host }, async () => exposition(await collect())))
}
