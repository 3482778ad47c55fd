import { AggregatorRegistry, Registry } from 'prom-client'
import type { MetricValues } from './metrics.ts'

export const EXPOSITION_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

/** The metrics of one or more processes as one text for Prometheus, summed or combined as each metric's aggregator says. */
export function exposition(metrics: readonly MetricValues[]): Promise<string> {
  return AggregatorRegistry.aggregate([...metrics]).metrics()
}
