import type { Context } from '../../domain/core/context.ts'
import type { WakeHub } from '../../domain/events/wake-hub.ts'
import { workDeliveries } from '../../domain/webhooks/worker/work.ts'

export type WorkerOptions = {
  /** The hub whose `wake` is in the context. */
  wakeHub: WakeHub
  /** How long attempts may go on after it is disposed of: 8 s. */
  graceMs?: number | undefined
}

/**
 * Delivers until it is disposed of, whenever the wake hub signals, a row becomes due, or a second has passed. Disposing of it
 * lets attempts finish for 8 s, then aborts the rest and releases their deliveries.
 */
export function startWorker(context: Context, { wakeHub, graceMs }: WorkerOptions): AsyncDisposable {
  const stop = new AbortController()
  const onWake = (wake: () => void) =>
    wakeHub.onWake((_, event) => {
      if (event?.hasReceivers !== false) wake()
    })
  const work = workDeliveries(context, { signal: stop.signal, onWake, graceMs })
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await work
    },
  }
}
