import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import type { SpanExporter } from '@opentelemetry/sdk-trace-base'
import { EdgeLogger } from './edge-logger.ts'
import type { Logger } from './logger.ts'

/** Sends spans to a collector (OTLP over HTTP, as JSON), and logs once when it stops accepting them and once when it accepts them again. */
export class LoggingSpanExporter implements SpanExporter {
  readonly #exporter: OTLPTraceExporter
  readonly #edge: EdgeLogger

  constructor(url: string, log: Logger) {
    this.#exporter = new OTLPTraceExporter({ url })
    this.#edge = new EdgeLogger(log, {
      down: 'Trace collector does not accept spans',
      up: 'Trace collector accepts spans again',
    })
  }

  export(spans: Parameters<SpanExporter['export']>[0], done: Parameters<SpanExporter['export']>[1]) {
    this.#exporter.export(spans, (result) => {
      if (result.error) this.#edge.down({ err: result.error })
      else this.#edge.up()
      done(result)
    })
  }

  shutdown() {
    return this.#exporter.shutdown()
  }
}
