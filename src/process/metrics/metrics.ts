import type { Config } from '../../config.ts'
import type { Context } from '../../domain/core/context.ts'
import type { LoadLimit } from '../../rest/http/load-limit.ts'
import type { MetricValues } from '../../telemetry/metrics.ts'
import type { ProcessMetrics } from '../../telemetry/process-metrics.ts'
import type { Disposables } from '../disposables.ts'
import { deliveryMetricMirrors, poolMetrics, requestMetrics } from './process.ts'

/** The figures of this process, where `METRICS_PORT` wants them. The library behind them is loaded only then. */
export async function openMetrics(config: Config, occupancy?: LoadLimit): Promise<ProcessMetrics | undefined> {
  if (config.metricsPort === undefined) return undefined
  const { ProcessMetrics } = await import('../../telemetry/process-metrics.ts')
  const metrics = new ProcessMetrics()
  metrics.mirror(...poolMetrics(), ...deliveryMetricMirrors(), ...(occupancy ? requestMetrics(occupancy) : []))
  return metrics
}

export type MetricsSource = { metrics: ProcessMetrics; contextOf: () => Context | undefined }

/** The figures of this process and, if wanted, of its database. */
export async function collectMetrics(
  { metrics, contextOf }: MetricsSource,
  withDatabase: boolean,
): Promise<MetricValues[]> {
  const { collectDatabaseMetrics } = await import('./database.ts')
  return Promise.all([metrics.collect(), ...(withDatabase ? [collectDatabaseMetrics(contextOf())] : [])])
}

/** Serves the figures of a process that is alone, until `opened` closes. */
export async function publishMetrics(config: Config, opened: Disposables, meter: MetricsSource): Promise<void> {
  await serveMetricsOf(config, opened, () => collectMetrics(meter, true))
}

/** Serves what `collect` finds, added up, on `METRICS_PORT`, if there is one. */
export async function serveMetricsOf(
  config: Config,
  opened: Disposables,
  collect: () => Promise<MetricValues[]>,
): Promise<void> {
  const { metricsPort, host } = config
  if (metricsPort === undefined) return
  const { serveMetrics } = await import('./server.ts')
  const { exposition } = await import('../../telemetry/exposition.ts')
  opened.use(await serveMetrics({ metricsPort, host }, async () => exposition(await collect())))
}
