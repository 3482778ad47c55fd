import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace-base'
import type { SpanPosition } from './event-trace.ts'

/** Identifiers of spans: random, but for a span whose identifiers were chosen. */
export class SpanIds implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  #chosen: Partial<SpanPosition> = {}

  /** `start` makes one span, whose identifiers are those given; a span with a parent is in its parent's trace all the same. */
  choose<Made>(chosen: Partial<SpanPosition>, start: () => Made): Made {
    this.#chosen = chosen
    try {
      return start()
    } finally {
      this.#chosen = {}
    }
  }

  generateTraceId = () => this.#chosen.traceId ?? this.#random.generateTraceId()
  generateSpanId = () => this.#chosen.spanId ?? this.#random.generateSpanId()
}
