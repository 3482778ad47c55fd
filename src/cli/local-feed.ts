import type { Context } from '../domain/core/context.ts'
import { databaseProblem } from '../domain/core/database-problem.ts'
import { createdAtOf } from '../domain/core/ids.ts'
import { Problem } from '../domain/core/problem.ts'
import { encodeFeedCursor } from '../domain/events/feed/cursor.ts'
import { followAsOperator } from '../domain/events/feed/follow-feed.ts'
import type { EventStream } from '../domain/events/streams/event-stream.ts'
import { eventsOf } from '../domain/events/streams/stream-events.ts'
import { Refusal } from './io.ts'
import { type Connect, Disconnected, type FeedStep, type ListenSelection } from './resumed-feed.ts'

/** Streams of the operator on the database of this machine. */
export const localFeed = (ctx: Context, selection: ListenSelection): Connect =>
  async function* (place, signal) {
    let isOpen = false
    try {
      const stream = await followAsOperator(ctx, { ...selection, ...place })
      for await (const step of stepsOf(ctx, stream, signal)) {
        isOpen = true
        yield step
      }
    } catch (error) {
      throw explained(error, isOpen)
    }
  }

async function* stepsOf(ctx: Context, stream: EventStream, signal: AbortSignal): AsyncGenerator<FeedStep> {
  let cursor = encodeFeedCursor(ctx, stream.key, stream.reached)
  for await (const placed of eventsOf(stream, signal)) {
    const events = placed.map(({ id, type, payload, place }) => {
      cursor = encodeFeedCursor(ctx, stream.key, { place, at: createdAtOf(id) })
      return { id, type, payload, cursor }
    })
    yield { events, cursor }
  }
}

/** A stream that was open and is not available any more has lasted long enough. */
function explained(error: unknown, wasOpen: boolean): unknown {
  const problem = error instanceof Problem ? error : databaseProblem(error)
  if (!problem) return error
  const { code, message } = problem
  return code === 'unavailable'
    ? new Disconnected({ code, message }, { isRenewal: wasOpen })
    : new Refusal({ code, message })
}
