import type { Context } from '../../domain/core/context.ts'
import { createdAtOf } from '../../domain/core/ids.ts'
import { encodeFeedCursor, type FeedCursor } from '../../domain/events/feed/cursor.ts'
import type { SseForm } from './sse-sink.ts'

/** The feed of `GET /v1/events`: the payload of a webhook as data, the cursor as identifier. */
export function feedForm(ctx: Pick<Context, 'keyring'>, key: string): SseForm {
  const idOf = (cursor: FeedCursor) => `id: ${encodeFeedCursor(ctx, key, cursor)}\n`
  return {
    key: `feed ${key}`,
    // with its identifier a browser that is cut off before the first event misses none
    greeting: (start) => `retry: 3000\n${idOf(start)}: events follow\n\n`,
    beat: ':\n\n',
    frame: ({ id, type, payload, place }) =>
      `${idOf({ place, at: createdAtOf(id) })}event: ${type}\ndata: ${payload}\n\n`,
    progress: (reached) => `${idOf(reached)}event: progress\ndata:\n\n`,
    end: ({ reason, problem }) => `event: end\ndata: ${JSON.stringify({ reason, message: problem.message })}\n\n`,
  }
}
