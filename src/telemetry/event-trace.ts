import { createHash } from 'node:crypto'

/** A place in a trace, in the form of W3C Trace Context: 32 and 16 hexadecimal digits. */
export type SpanPosition = { traceId: string; spanId: string }

/**
 * The trace in which an event is published and delivered, and the span of its publication. Both follow from the event's
 * identifier, so whoever delivers it, in any process and days later, knows them without having been told.
 */
export function eventSpanPosition(eventId: string): SpanPosition {
  const digest = createHash('sha256').update(eventId).digest('hex')
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) }
}
