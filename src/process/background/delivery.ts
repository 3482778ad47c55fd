import type { Context } from '../../domain/core/context.ts'
import type { WakeHub } from '../../domain/events/wake-hub.ts'
import { workDeliveries } from '../../domain/webhooks/worker/work.ts'

export type WorkerOptions = {
  /** The one whose `wake` the context carries. */
  waker: WakeHub
  /** How long attempts may go on once it is disposed of: 8 s. */
  graceMs?: number | undefined
}

/**
 * Delivers until it is disposed of: woken by the waker, by the next due row, and at the latest after a second. Disposing
 * lets attempts finish for 8 s, cuts the others short and gives them back.
 */
export function startWorker(context: Context, { waker, graceMs }: WorkerOptions): AsyncDisposable {
  const stop = new AbortController()
  const work = workDeliveries(context, { signal: stop.signal, onWake: waker.onWake, graceMs })
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await work
    },
  }
}
