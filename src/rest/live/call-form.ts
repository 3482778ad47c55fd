import { createdAtOf } from '../../domain/core/ids.ts'
import type { PlacedEvent } from '../../domain/core/live.ts'
import type { FeedCursor } from '../../domain/events/feed/cursor.ts'
import type { LiveCall } from '../../routers/streams.ts'
import type { SseForm } from './sse-sink.ts'

/** A typed client that hears nothing for so long connects again. */
const SILENT_MS = 40_000
export const CALL_GREETING = `event: connected\ndata: ${JSON.stringify({ reconnectAfterInactivityMs: SILENT_MS })}\n\n`
export const CALL_BEAT = 'event: ping\ndata:\n\n'
export const CALL_RETURN = 'event: return\ndata:\n\n'
export const callFailure = (shape: unknown) => `event: serialized-error\ndata: ${JSON.stringify(shape)}\n\n`
export const callItem = (id: string | undefined, item: unknown) =>
  `data: ${JSON.stringify(item)}\n${id === undefined ? '' : `id: ${id}\n`}\n`

/**
 * A subscription as tRPC's client reads it: the same events that `sseStreamProducer` of @trpc/server writes. `shapeOf` gives
 * the error that a client sees of a problem.
 */
export function callForm({ shape }: LiveCall, shapeOf: (problem: unknown) => unknown): SseForm {
  // a name that clients do not listen to: the identifier alone counts
  const markOf = ({ place, at }: FeedCursor) => `event: restore-id\ndata:\nid: ${shape.mark(place, at)}\n\n`
  return {
    key: `call ${shape.key}`,
    greeting: (start) =>
      CALL_GREETING +
      (shape.first === undefined ? markOf(start) : callItem(shape.mark(start.place, start.at), shape.first)),
    beat: CALL_BEAT,
    frame: (event: PlacedEvent) => callItem(shape.mark(event.place, createdAtOf(event.id)), shape.itemOf(event)),
    progress: markOf,
    // without a word the client asks again and goes on
    end: ({ reason, problem }) => (reason === 'recycled' ? '' : callFailure(shapeOf(problem))),
  }
}
