import { requireAlive } from '../access/admission.ts'
import type { Principal } from '../core/actor.ts'
import type { Caller, CallerContext } from '../core/context.ts'
import { Problem } from '../core/problem.ts'
import { Signal } from './signal.ts'

/** What is missed by a lost notification is seen by the next look. */
const LOOK_AT_LATEST_MS = 1_000
const LOOK_AT_MOST_EVERY_MS = 100
const STREAMS_MAX = 20
/** A credential is looked up again after a change of any, at most so often, and now and then, because it may expire. */
const CHECK_AT_MOST_EVERY_MS = 5_000
const CHECK_AT_LATEST_MS = 30_000

/** A call that stays open. */
export type StreamContext = CallerContext & { caller: Caller }

/** An item of a stream, and where it stands: a caller who was cut off goes on behind the mark seen last. */
export type Marked<Item> = { mark: string; item: Item }

const open = new Map<string, number>()

/**
 * Yields whenever there may be something new: at once, after each commit of an event anywhere, every second, and again as
 * long as the caller is behind; not more often than every 100 ms. Ends when the caller is gone. Throws `rate_limited` when the caller has twenty such calls open in
 * this process already; `unavailable` when the process stops, so that clients ask again, where a stream that merely ended
 * would count as complete; `invalid_token` or `insufficient_scope` a moment after the credential has ended or lost a scope,
 * a login session at most five seconds after.
 */
export async function* poll(
  ctx: StreamContext,
  signal: AbortSignal | undefined,
  isBehind = () => false,
): AsyncGenerator<void> {
  const ended = AbortSignal.any(signal ? [signal, ctx.stopping] : [ctx.stopping])
  const bell = new Signal()
  const leave = enter(ctx.principal)
  const stopListening = ctx.onWake(bell.ring)
  const check = checkOf(ctx)
  try {
    while (!ended.aborted) {
      const seenAt = performance.now()
      yield
      await pause(LOOK_AT_MOST_EVERY_MS - (performance.now() - seenAt), ended)
      if (!isBehind()) await bell.heard(LOOK_AT_LATEST_MS, ended)
      if (!ended.aborted) await check()
    }
    if (!signal?.aborted) throw new Problem('unavailable', 'The service is stopping: ask again.', { retryAfterS: 1 })
  } finally {
    stopListening()
    leave()
  }
}

function checkOf(ctx: StreamContext): () => Promise<void> {
  const isSession = ctx.caller.authorization === undefined // the end of one is not announced
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

/** By a bell that nobody rings. */
const pause = (ms: number, signal: AbortSignal) => new Signal().heard(ms, signal)

/** Counts a stream of the caller's until the returned function is called. */
function enter(principal: Principal): () => void {
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
