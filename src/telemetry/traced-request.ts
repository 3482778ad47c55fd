import { isSpanContextValid, type SpanContext } from '@opentelemetry/api'

/** Further statements of the same request are counted but get no span. */
const STATEMENTS_MAX = 64

type TracedStatement = { pool: string; text: string; beginMs: number; endMs: number; error: unknown }
export type PublishedEvent = { id: string; type: string; atMs: number }

/**
 * What a request has done so far. It becomes spans when the request has ended, because only then its trace is known: that of
 * its caller, or that of the first event that it published.
 */
export class TracedRequest {
  readonly beginMs = nowMs()
  readonly statements: TracedStatement[] = []
  readonly events: PublishedEvent[] = []
  /** The caller's span, from the header `traceparent`. */
  readonly parent: SpanContext | undefined
  statementCount = 0
  isOver = false

  constructor(traceparent: string | undefined) {
    this.parent = traceparent === undefined ? undefined : parentOf(traceparent)
  }

  /** Records a statement. Call the returned function with its rows or its error. */
  statement(pool: string, text: string): (outcome: unknown) => void {
    const beginMs = nowMs()
    return (outcome) => {
      if (this.isOver || ++this.statementCount > STATEMENTS_MAX) return
      const error = outcome instanceof Error ? outcome : undefined
      this.statements.push({ pool, text, beginMs, endMs: nowMs(), error })
    }
  }
}

/** Milliseconds since 1970, with fractions. */
export const nowMs = () => performance.timeOrigin + performance.now()

/** W3C Trace Context, section 3.2: later versions may append fields, and version `ff` is invalid. */
function parentOf(header: string): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/.exec(header.trim()) ?? []
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return version !== 'ff' && isSpanContextValid(parent) ? parent : undefined
}
