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
   * The mark seen last, by a caller who was cut off for ten minutes at most. It may bring again what came in the last
   * seconds before it.
   */
  after?: string | null | undefined
}

/** At once an empty batch: from here on nothing is missed. */
export type StreamedEvents = Marked<{ events: LoggedEvent[] }>

const LOOK_MS = 1_000
/** Of a beat: enough for the last seconds of a busy site, which are read again each time. */
const PAGES_MAX = 20
const BATCH_LEAST = 100

/**
 * Events as they happen, in batches, until the caller is gone: those that the caller may read (see `readEvents`). No
 * subscription and no queue: what a command line listens to.
 */
export async function followEvents(
  ctx: StreamContext,
  following: EventFilter,
  signal: AbortSignal | undefined,
): Promise<AsyncGenerator<StreamedEvents>> {
  const log = new EventTail(ctx, following.after)
  const beats = poll(ctx, signal, () => log.isBehind)
  return batches(ctx, log, following, beats)
}

/** The same for the operator, who has no credential that could end. */
export function followAsOperator(
  ctx: ActorContext,
  following: EventFilter,
  signal: AbortSignal,
): AsyncGenerator<StreamedEvents> {
  const log = new EventTail(ctx, following.after)
  return batches(ctx, log, following, wakes(ctx, log, signal))
}

async function* wakes({ onWake }: ActorContext, log: EventTail, signal: AbortSignal): AsyncGenerator<void> {
  const bell = new Signal()
  const stopHearing = onWake(bell.ring)
  try {
    while (!signal.aborted) {
      yield
      if (!log.isBehind) await bell.heard(LOOK_MS, signal)
    }
  } finally {
    stopHearing()
  }
}

/** At each beat one batch at most, so that between two of them it is seen who has gone and whose credential has ended. */
async function* batches(ctx: ActorContext, log: EventTail, { types }: EventFilter, beats: AsyncGenerator<void>) {
  const isWanted = ({ type }: LoggedEvent) => types?.some((one) => one === type) ?? true
  yield { mark: log.mark, item: { events: [] } }
  for await (const _ of beats) {
    const events: LoggedEvent[] = []
    for (let pages = 0; pages < PAGES_MAX && events.length < BATCH_LEAST; pages++) {
      events.push(...(await log.read(ctx)).filter(isWanted))
      if (!log.isBehind) break
    }
    if (events.length > 0) yield { mark: log.mark, item: { events } }
  }
}
