import { createHash } from 'node:crypto'

/** Identifies a span, as W3C Trace Context does: 32 and 16 hexadecimal digits. */
export type SpanPosition = { traceId: string; spanId: string }

/**
 * The trace in which an event is published and delivered, and the span of its publication. Both are derived from the event's
 * identifier, so a process that delivers it days later needs no stored trace context.
 */
export function eventSpanPosition(eventId: string): SpanPosition {
  const digest = createHash('sha256').update(eventId).digest('hex')
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) }
}
