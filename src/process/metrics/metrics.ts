import type { Config } from '../../config.ts'
import type { Context } from '../../domain/core/context.ts'
import type { LoadLimit } from '../../rest/http/load-limit.ts'
import type { MetricValues } from '../../telemetry/metrics.ts'
import type { ProcessMetrics } from '../../telemetry/process-metrics.ts'
import type { Disposables } from '../disposables.ts'
import {
  brokerMetrics,
  counterMetrics,
  deliveryMetricMirrors,
  ingestMetricMirrors,
  mailMetricMirrors,
  poolMetrics,
  requestLogMetricMirrors,
  requestMetrics,
  tailMetricMirrors,
} from './process.ts'

type MetricsConfig = Pick<Config, 'metricsPort' | 'host'>

/** The metrics of this process, if `METRICS_PORT` is set. The library behind them is loaded only then. */
export async function openMetrics(
  { metricsPort }: Pick<Config, 'metricsPort'>,
  loadLimit?: LoadLimit,
): Promise<ProcessMetrics | undefined> {
  if (metricsPort === undefined) return undefined
  const { ProcessMetrics } = await import('../../telemetry/process-metrics.ts')
  const metrics = new ProcessMetrics()
  metrics.mirror(
    ...poolMetrics(),
    ...deliveryMetricMirrors(),
    ...ingestMetricMirrors(),
    ...tailMetricMirrors(),
    ...mailMetricMirrors(),
    ...counterMetrics(),
    ...requestLogMetricMirrors(),
    ...brokerMetrics(),
    ...(loadLimit ? requestMetrics(loadLimit) : []),
  )
  return metrics
}

export type MetricsSource = { metrics: ProcessMetrics; contextOf: () => Context | undefined }

/** The metrics of this process and, if wanted, of its database. */
export async function collectMetrics(
  { metrics, contextOf }: MetricsSource,
  withDatabase: boolean,
): Promise<MetricValues[]> {
  const { collectDatabaseMetrics } = await import('./database.ts')
  return Promise.all([metrics.collect(), ...(withDatabase ? [collectDatabaseMetrics(contextOf())] : [])])
}

/** Serves the metrics of a single process until `disposables` closes. */
export async function publishMetrics(
  config: MetricsConfig,
  disposables: Disposables,
  source: MetricsSource,
): Promise<void> {
  await serveMetricsOf(config, disposables, () => collectMetrics(source, true))
}

/** Serves the combined result of `collect` on `METRICS_PORT`, if that is set. */
export async function serveMetricsOf(
  { metricsPort, host }: MetricsConfig,
  disposables: Disposables,
  collect: () => Promise<MetricValues[]>,
): Promise<void> {
  if (metricsPort === undefined) return
  const { serveMetrics } = await import('./server.ts')
  const { exposition } = await import('../../telemetry/exposition.ts')
  disposables.use(await serveMetrics({ metricsPort, host }, async () => exposition(await collect())))
}
