import { type Metric, type MetricObject, Registry } from 'prom-client'

/** All metrics of a process at one moment, in the form in which those of several processes are combined. */
export type MetricValues = MetricObject[]

/** A metric that is counted elsewhere and read at each scrape. Its name and labels never hold an identifier or a URL. */
export type Mirrored = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** How the values of several processes are combined; the default is their sum. */
  aggregator?: 'max'
  read: () => Sample[] | Promise<Sample[]>
}
/** `metricName` only where it differs from the metric's: `…_bucket`, `…_sum`, `…_count` of a histogram. */
export type Sample = { value: number; labels?: Record<string, string | number>; metricName?: string }

/** Metrics that are collected together. */
export class Metrics {
  protected readonly registry = new Registry()

  mirror(...metrics: Mirrored[]) {
    for (const { read, aggregator = 'sum', ...description } of metrics) {
      const get = async () => ({ ...description, aggregator, values: (await read()).map(complete) })
      this.registry.registerMetric({ ...description, get } as unknown as Metric) // all that a registry uses of a metric
    }
  }

  async collect(): Promise<MetricValues> {
    return (await this.registry.getMetricsAsJSON()) as MetricValues // the declared type lacks the values
  }
}

const complete = ({ labels = {}, ...sample }: Sample) => ({ labels, ...sample })
