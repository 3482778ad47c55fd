import { isSpanContextValid, type SpanContext } from '@opentelemetry/api'

/** More statements of one request are counted and not shown. */
const STATEMENTS_MAX = 64

type FollowedStatement = { pool: string; text: string; beginMs: number; endMs: number; error: unknown }
export type PublishedEvent = { id: string; type: string; atMs: number }

/**
 * What a request has done so far. It becomes spans when it has ended, because only then is it known which trace it
 * belongs to: its caller's, or that of the event which it has published.
 */
export class TracedRequest {
  readonly beginMs = nowMs()
  readonly statements: FollowedStatement[] = []
  readonly events: PublishedEvent[] = []
  /** The caller's span, from the header `traceparent`. */
  readonly parent: SpanContext | undefined
  statementCount = 0
  isOver = false

  constructor(traceparent: string | undefined) {
    this.parent = traceparent === undefined ? undefined : parentOf(traceparent)
  }

  /** Follows a statement; what it returns is to be called with its rows or its error. */
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

/** W3C Trace Context, section 3.2: a later version may say more behind these four, and `ff` is none. */
function parentOf(header: string): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/.exec(header.trim()) ?? []
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return version !== 'ff' && isSpanContextValid(parent) ? parent : undefined
}
