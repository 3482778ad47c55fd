import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace-base'
import type { SpanPosition } from './event-trace.ts'

/** Identifiers of spans: random, unless `withIds` fixes them. */
export class SpanIds implements IdGenerator {
  readonly #random = new RandomIdGenerator()
  #fixed: Partial<SpanPosition> = {}

  /** `start` creates one span, which gets these identifiers. A span with a parent stays in the trace of its parent. */
  withIds<Created>(ids: Partial<SpanPosition>, start: () => Created): Created {
    this.#fixed = ids
    try {
      return start()
    } finally {
      this.#fixed = {}
    }
  }

  generateTraceId = () => this.#fixed.traceId ?? this.#random.generateTraceId()
  generateSpanId = () => this.#fixed.spanId ?? this.#random.generateSpanId()
}
