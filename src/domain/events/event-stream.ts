import type { ActorContext } from '../core/context.ts'
import { EventTail } from './event-tail.ts'
import type { LoggedEvent } from './log.ts'
import { type Marked, poll, type StreamContext } from './poll.ts'
import { Signal } from './signal.ts'
import type { SubscribableType } from './types.ts'

export type EventFilter = {
  /** All when left out. */
  types?: readonly SubscribableType[] | undefined
  /**
   * The last mark that the caller saw, to continue there when they were cut off for ten minutes at most. Events of the last
   * seconds before it may come again.
   */
  after?: string | null | undefined
}

/** The first batch is empty and comes at once: from then on nothing is missed. */
export type StreamedEvents = Marked<{ events: LoggedEvent[] }>

const POLL_MS = 1_000
/** Per poll: enough for the last seconds of a busy site, which are read again each time. */
const PAGES_MAX = 20
const BATCH_LEAST = 100

/**
 * The events that the caller may read (see `readEvents`), as they happen, in batches, until the caller is gone. It needs no
 * subscription and no queue: the command line listens to it.
 */
export async function followEvents(
  ctx: StreamContext,
  filter: EventFilter,
  signal: AbortSignal | undefined,
): Promise<AsyncGenerator<StreamedEvents>> {
  const tail = new EventTail(ctx, filter.after)
  const polls = poll(ctx, signal, () => tail.isBehind)
  return batches(ctx, tail, filter, polls)
}

/** The same for the operator, who has no credential that could end. */
export function followAsOperator(
  ctx: ActorContext,
  filter: EventFilter,
  signal: AbortSignal,
): AsyncGenerator<StreamedEvents> {
  const tail = new EventTail(ctx, filter.after)
  return batches(ctx, tail, filter, wakes(ctx, tail, signal))
}

async function* wakes({ onWake }: ActorContext, tail: EventTail, signal: AbortSignal): AsyncGenerator<void> {
  const woken = new Signal()
  const stopListening = onWake(woken.notify)
  try {
    while (!signal.aborted) {
      yield
      if (!tail.isBehind) await woken.wait(POLL_MS, signal)
    }
  } finally {
    stopListening()
  }
}

/** One batch per poll at most, because it is between two polls that an ended caller or credential is noticed. */
async function* batches(ctx: ActorContext, tail: EventTail, { types }: EventFilter, polls: AsyncGenerator<void>) {
  const isWanted = ({ type }: LoggedEvent) => types?.some((one) => one === type) ?? true
  yield { mark: tail.mark, item: { events: [] } }
  for await (const _ of polls) {
    const events: LoggedEvent[] = []
    for (let pages = 0; pages < PAGES_MAX && events.length < BATCH_LEAST; pages++) {
      events.push(...(await tail.read(ctx)).filter(isWanted))
      if (!tail.isBehind) break
    }
    if (events.length > 0) yield { mark: tail.mark, item: { events } }
  }
}
