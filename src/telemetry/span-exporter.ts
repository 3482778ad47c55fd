import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import type { SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Logger } from './logger.ts'

type Done = Parameters<SpanExporter['export']>[1]

/** Sends spans to a collector (OTLP over HTTP, as JSON). That it does not take them is told once, and once that it does again. */
export class LoggingSpanExporter implements SpanExporter {
  readonly #exporter: OTLPTraceExporter
  readonly #log: Logger
  #isFailing = false

  constructor(url: string, log: Logger) {
    this.#exporter = new OTLPTraceExporter({ url })
    this.#log = log
  }

  export(spans: Parameters<SpanExporter['export']>[0], done: Done) {
    this.#exporter.export(spans, (result) => {
      this.#tell(result)
      done(result)
    })
  }

  #tell({ error }: Parameters<Done>[0]) {
    if (error && !this.#isFailing) this.#log.warn({ err: error }, 'The collector of traces does not take them')
    if (!error && this.#isFailing) this.#log.info('The collector takes traces again')
    this.#isFailing = error !== undefined
  }

  shutdown() {
    return this.#exporter.shutdown()
  }
}
