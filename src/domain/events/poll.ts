import { requireAlive } from '../access/admission.ts'
import type { Principal } from '../core/actor.ts'
import type { Caller, CallerContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { Signal } from './signal.ts'

/** The fallback for a commit whose notification was lost. */
const POLL_AT_LATEST_MS = 1_000
const POLL_AT_MOST_EVERY_MS = 100
const STREAMS_MAX = 20
/** How soon a credential is checked again after any credential has changed, and how late otherwise, as it may expire. */
const CHECK_AT_MOST_EVERY_MS = 5_000
const CHECK_AT_LATEST_MS = 30_000

/** A call that stays open. */
export type StreamContext = CallerContext & { caller: Caller }

/** An item of a stream and its position: a caller who was cut off continues behind the last `mark` that they saw. */
export type Marked<Item> = { mark: string; item: Item }

/** How many streams each caller has open. */
const open = new Map<string, number>()

/**
 * Yields whenever there may be something new: at once, after each commit of an event anywhere, every second, and as long as
 * the caller is behind; at most every 100 ms. Ends when the caller is gone. Throws
 * - `rate_limited` when the caller has twenty such calls open in this process already;
 * - `unavailable` when the process stops, so that clients connect again: a stream that just ended would count as complete;
 * - `invalid_token` or `insufficient_scope` soon after the credential has ended or lost a scope, for a login session within
 *   five seconds.
 */
export async function* poll(
  ctx: StreamContext,
  signal: AbortSignal | undefined,
  isBehind = () => false,
): AsyncGenerator<void> {
  const ended = AbortSignal.any(signal ? [signal, ctx.stopping] : [ctx.stopping])
  const woken = new Signal()
  const uncount = countStream(ctx.principal)
  const stopListening = ctx.onWake(woken.notify)
  const check = checkOf(ctx)
  try {
    while (!ended.aborted) {
      const polledAt = performance.now()
      yield
      await pause(POLL_AT_MOST_EVERY_MS - (performance.now() - polledAt), ended)
      if (!isBehind()) await woken.wait(POLL_AT_LATEST_MS, ended)
      if (!ended.aborted) await check()
    }
    if (!signal?.aborted) throw new Problem('unavailable', 'The service is stopping: ask again.', { retryAfterS: 1 })
  } finally {
    stopListening()
    uncount()
  }
}

function checkOf(ctx: StreamContext): () => Promise<void> {
  const isSession = ctx.caller.authorization === undefined // unlike the end of a token or key, the end of a session is not announced
  let { changes } = ctx.credentials
  let changeCheckedAt = Number.NEGATIVE_INFINITY
  let checkedAt = performance.now()
  return async () => {
    const now = performance.now()
    const isChanged = isSession || changes === undefined || changes !== ctx.credentials.changes
    const isDue = isChanged && now - changeCheckedAt >= CHECK_AT_MOST_EVERY_MS
    if (!isDue && now - checkedAt < CHECK_AT_LATEST_MS) return
    if (isDue) changeCheckedAt = now
    changes = ctx.credentials.changes
    checkedAt = now
    await requireAlive(ctx, ctx.caller)
  }
}

/** Ends early when `signal` aborts. */
const pause = (ms: number, signal: AbortSignal) => new Signal().wait(ms, signal)

/** Counts a stream of the caller until the returned function is called. Throws `rate_limited`. */
function countStream(principal: Principal): () => void {
  const key = principal.kind === 'user' ? principal.userId : principal.clientId
  const count = open.get(key) ?? 0
  if (count >= STREAMS_MAX) {
    throw new Problem('rate_limited', `More than ${STREAMS_MAX} streams at once: close one first.`, { retryAfterS: 5 })
  }
  open.set(key, count + 1)
  return () => {
    const left = (open.get(key) ?? 1) - 1
    if (left === 0) open.delete(key)
    else open.set(key, left)
  }
}
