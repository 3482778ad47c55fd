import { type Metric, type MetricObject, Registry } from 'prom-client'

/** All figures of a process at one moment, as several processes add theirs up. */
export type MetricValues = MetricObject[]

/** A figure that is counted elsewhere and read when it is asked for. Names and labels never hold an identifier or a URL. */
export type Mirrored = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** How several processes become one; they are added up when this is left out. */
  aggregator?: 'max'
  read: () => Sample[] | Promise<Sample[]>
}
/** `metricName` where it is not the figure's own: `…_bucket`, `…_sum`, `…_count` of a histogram. */
export type Sample = { value: number; labels?: Record<string, string | number>; metricName?: string }

/** Figures that are asked for together. */
export class Metrics {
  protected readonly registry = new Registry()

  mirror(...figures: Mirrored[]) {
    for (const { read, aggregator = 'sum', ...about } of figures) {
      const get = async () => ({ ...about, aggregator, values: (await read()).map(complete) })
      this.registry.registerMetric({ ...about, get } as unknown as Metric) // all that a registry asks of a metric
    }
  }

  async collect(): Promise<MetricValues> {
    return (await this.registry.getMetricsAsJSON()) as MetricValues // its type leaves the values out
  }
}

const complete = ({ labels = {}, ...sample }: Sample) => ({ labels, ...sample })
