import { Counter, collectDefaultMetrics, Histogram } from 'prom-client'
import { Metrics } from './metrics.ts'

const REQUEST_BOUNDS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const STATEMENT_BOUNDS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

/** Metrics of what this process does. Created only when metrics are served, so that counting costs nothing otherwise. */
export class ProcessMetrics extends Metrics {
  readonly #requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Answered requests by operation and class of status; streams are not among them',
    labelNames: ['operation', 'status'],
    buckets: REQUEST_BOUNDS_S,
    registers: [this.registry],
  })
  readonly #limited = new Counter({
    name: 'http_rate_limited_total',
    help: 'Requests that were answered with 429',
    labelNames: ['operation'],
    registers: [this.registry],
  })
  readonly #statements = new Histogram({
    name: 'database_statement_duration_seconds',
    help: 'Statements by pool, from the call to the last row: waiting for a connection included',
    labelNames: ['pool'],
    buckets: STATEMENT_BOUNDS_S,
    registers: [this.registry],
  })

  constructor() {
    super()
    collectDefaultMetrics({ register: this.registry })
  }

  /** Shows that nothing of these operations has been refused yet: what begins with 1 is no increase to Prometheus. */
  beginAtZero(operations: readonly string[]) {
    for (const operation of operations) this.#limited.inc({ operation }, 0)
  }

  /** `operation` must be one of a small fixed set. Status 499: the caller closed the connection. */
  observeRequest(operation: string, status: number, seconds: number) {
    this.#requests.observe({ operation, status: `${Math.floor(status / 100)}xx` }, seconds)
    if (status === 429) this.#limited.inc({ operation })
  }

  observeStatement(pool: string, seconds: number) {
    this.#statements.observe({ pool }, seconds)
  }
}
