import { randomInt } from 'node:crypto'
import { LinkedController } from '../../time/linked-controller.ts'
import type { Problem } from '../core/problem.ts'
import type { StreamContext } from './streams/event-stream.ts'
import { Signal } from './streams/signal.ts'
import { countStream } from './streams/stream-limit.ts'

/** The fallback for a commit whose notification was lost. */
const POLL_AT_LATEST_MS = 1_000
const POLL_AT_MOST_EVERY_MS = 100
/** How long a stream lasts: never as long as another, so that those which began together do not come again together. */
const LIFETIME_MS = { min: 55 * 60_000, max: 65 * 60_000 }

/**
 * Yields whenever there may be something new: at once, when the context wakes it, and every second; at most every 100 ms. Calls `doubt` when
 * what the caller may read may have changed. Ends when the caller is gone. Throws
 * - `rate_limited` when too many such calls are open already (see `countStream`);
 * - `unavailable` when the process stops, so that clients connect again: a stream that just ended would count as complete;
 * - an `AbortError` after about an hour, which cuts the stream off without a word, so that clients connect again as well;
 * - `invalid_token` or `insufficient_scope` within a second after the credential has ended or lost a scope.
 */
export async function* poll(
  ctx: StreamContext,
  signal: AbortSignal | undefined,
  doubt: () => void,
): AsyncGenerator<void> {
  const woken = new Signal()
  const uncount = await countStream(ctx)
  const stopListening = ctx.onWake(woken.notify)
  const { ended, problemOf, unlist } = listed(ctx, signal, doubt)
  const endsAt = performance.now() + randomInt(LIFETIME_MS.min, LIFETIME_MS.max)
  try {
    while (!ended.aborted) {
      if (performance.now() > endsAt) throw new DOMException('The stream has lasted long enough', 'AbortError')
      const polledAt = performance.now()
      yield
      await pause(POLL_AT_MOST_EVERY_MS - (performance.now() - polledAt), ended)
      await woken.wait(POLL_AT_LATEST_MS, ended)
    }
    const problem = problemOf()
    if (problem && !signal?.aborted) throw problem
  } finally {
    stopListening()
    unlist()
    uncount()
  }
}

/** Among the streams of the process, which ends them for a reason. */
function listed(
  { streams, caller, principal: { scopes } }: StreamContext,
  signal: AbortSignal | undefined,
  doubt: () => void,
) {
  const stop = new LinkedController({ signal })
  let problem: Problem | undefined
  const unlist = streams.add({
    caller,
    scopes,
    beat() {},
    doubt,
    end(end) {
      problem = end.problem
      stop.abort()
    },
  })
  return {
    ended: stop.signal,
    problemOf: () => problem,
    unlist() {
      stop[Symbol.dispose]()
      unlist()
    },
  }
}

/** Ends early when `signal` aborts. */
const pause = (ms: number, signal: AbortSignal) => new Signal().wait(ms, signal)
