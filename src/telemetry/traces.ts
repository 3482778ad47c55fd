import { AsyncLocalStorage } from 'node:async_hooks'
import { ROOT_CONTEXT, type Span, SpanKind, type SpanOptions, SpanStatusCode, trace } from '@opentelemetry/api'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import { within } from '../time/within.ts'
import { eventSpanPosition, type SpanPosition } from './event-trace.ts'
import type { Logger } from './logger.ts'
import { LoggingSpanExporter } from './span-exporter.ts'
import { SpanIds } from './span-ids.ts'
import { nowMs, type PublishedEvent, TracedRequest } from './traced-request.ts'

const FLUSH_MS_MAX = 2_000

export type TracesOptions = {
  /** Base address of the collector, without a slash at its end; spans go to `/v1/traces` below it. */
  endpoint: string
  /** Share of traces that are recorded, from 0 to 1. */
  share: number
  version: string
  log: Logger
}
type Answered = { operation: string; method: string; status: number; requestId: string }
type Delivery = { event_id: string; type: string; subscription_id: string; attempts: number }
type Attempt = { durationMs: number; status: number | null; errorClass: string | null }

/**
 * Spans of requests, of their statements, of the events that they publish and of the attempts to deliver those. A request
 * without a `traceparent` joins the trace of its first event. Every other event has a trace of its own, linked to the request.
 */
export class Traces implements AsyncDisposable {
  readonly #current = new AsyncLocalStorage<TracedRequest>()
  readonly #ids = new SpanIds()
  readonly #sampler: TraceIdRatioBasedSampler
  readonly #provider: BasicTracerProvider

  constructor({ endpoint, share, version, log }: TracesOptions) {
    this.#sampler = new TraceIdRatioBasedSampler(share)
    const ours = resourceFromAttributes({ 'service.name': 'developer-api', 'service.version': version })
    this.#provider = new BasicTracerProvider({
      resource: ours.merge(detectResources({ detectors: [envDetector] })),
      sampler: new ParentBasedSampler({ root: this.#sampler }),
      idGenerator: this.#ids,
      spanProcessors: [new BatchSpanProcessor(new LoggingSpanExporter(`${endpoint}/v1/traces`, log))],
    })
  }

  /** Runs `answer` so that its statements and events are recorded for the request. */
  within(request: TracedRequest, answer: () => void) {
    this.#current.run(request, answer)
  }

  /** Starts to trace a request; see `within` and `end`. */
  begin(traceparent: string | undefined): TracedRequest {
    return new TracedRequest(traceparent)
  }

  /** Records a statement of the current request, if there is one. Call the returned function with its rows or its error. */
  statement(pool: string, text: string): ((outcome: unknown) => void) | undefined {
    return this.#current.getStore()?.statement(pool, text)
  }

  /** Records an event that is being written. */
  published(id: string, type: string) {
    const event = { id, type, atMs: nowMs() }
    const request = this.#current.getStore()
    if (request && !request.isOver) request.events.push(event)
    else this.#publish(event)
  }

  /** Records a delivery attempt that has just ended. */
  attempted({ event_id: id, type, subscription_id, attempts }: Delivery, { durationMs, status, errorClass }: Attempt) {
    const endMs = nowMs()
    const position = eventSpanPosition(id)
    const parent = trace.setSpanContext(ROOT_CONTEXT, {
      ...position,
      traceFlags: this.#flagsOf(position),
      isRemote: true,
    })
    const attributes = {
      'messaging.message.id': id,
      'webhook.subscription.id': subscription_id,
      'webhook.attempt': attempts + 1,
      ...(status !== null && { 'http.response.status_code': status }),
      ...(errorClass !== null && { 'error.type': errorClass }),
    }
    const options = { kind: SpanKind.CLIENT, startTime: endMs - durationMs, attributes }
    const span = this.#tracer.startSpan(`deliver ${type}`, options, parent)
    if (status === null || status >= 300) fail(span)
    span.end(endMs)
  }

  /** Creates the spans of a request whose response has ended. If it failed, its events were rolled back and get none. */
  end(request: TracedRequest, { operation, method, status, requestId }: Answered) {
    request.isOver = true
    const events = status < 400 ? request.events : []
    const positions = events.map(({ id }) => eventSpanPosition(id))
    const context = request.parent ? trace.setSpanContext(ROOT_CONTEXT, request.parent) : ROOT_CONTEXT
    const traceId = request.parent?.traceId ?? positions[0]?.traceId
    const options = {
      kind: SpanKind.SERVER,
      startTime: request.beginMs,
      attributes: {
        'http.request.method': method,
        'http.response.status_code': status,
        'request.id': requestId,
        'database.statements': request.statementCount,
      },
      links: positions
        .filter((position) => position.traceId !== traceId)
        .map((position) => ({ context: { ...position, traceFlags: this.#flagsOf(position) } })),
    }
    const span = this.#start(operation, options, { ...(traceId !== undefined && { traceId }) }, context)
    this.#addStatements(span, request)
    for (const event of events) this.#publish(event, span)
    if (status >= 500) fail(span)
    span.end(nowMs())
  }

  #addStatements(parent: Span, { statements }: TracedRequest) {
    for (const { pool, text, beginMs, endMs, error } of statements) {
      const attributes = {
        'db.system.name': 'postgresql',
        'db.query.text': text,
        'db.client.connection.pool.name': pool,
      }
      const options = { kind: SpanKind.CLIENT, startTime: beginMs, attributes }
      const span = this.#tracer.startSpan(`query ${text.split(' ', 1)[0]}`, options, childOf(parent))
      if (error) fail(span)
      span.end(endMs)
    }
  }

  #publish({ id, type, atMs }: PublishedEvent, cause?: Span) {
    const position = eventSpanPosition(id)
    const isInside = cause?.spanContext().traceId === position.traceId
    const options = {
      kind: SpanKind.PRODUCER,
      startTime: atMs,
      attributes: { 'messaging.message.id': id },
      links: cause && !isInside ? [{ context: cause.spanContext() }] : [],
    }
    this.#start(`publish ${type}`, options, position, isInside ? childOf(cause) : ROOT_CONTEXT).end(atMs)
  }

  #start(name: string, options: SpanOptions, ids: Partial<SpanPosition>, context = ROOT_CONTEXT): Span {
    return this.#ids.withIds(ids, () => this.#tracer.startSpan(name, options, context))
  }

  /** Sampling depends on the trace id alone, so every process decides the same for an event. */
  #flagsOf({ traceId }: SpanPosition) {
    const { decision } = this.#sampler.shouldSample(ROOT_CONTEXT, traceId)
    return decision === SamplingDecision.RECORD_AND_SAMPLED ? 1 : 0
  }

  get #tracer() {
    return this.#provider.getTracer('developer-api')
  }

  /** Sends pending spans, for 2 s at most, so that a collector that hangs does not delay the shutdown. */
  async [Symbol.asyncDispose]() {
    const sent = this.#provider.shutdown().catch(() => {})
    await within(FLUSH_MS_MAX, sent, () => {})
  }
}

const childOf = (parent: Span) => trace.setSpan(ROOT_CONTEXT, parent)
const fail = (span: Span) => span.setStatus({ code: SpanStatusCode.ERROR })
