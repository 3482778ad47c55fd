import { AggregatorRegistry, Registry } from 'prom-client'
import type { MetricValues } from './metrics.ts'

export const EXPOSITION_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

/** The figures of one or more processes as one text for Prometheus: each added up, or as its aggregator says. */
export function exposition(figures: readonly MetricValues[]): Promise<string> {
  return AggregatorRegistry.aggregate([...figures]).metrics()
}
