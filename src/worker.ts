import { announcer } from './db/announcer.ts'
import type { Target } from './db/client.ts'
import { listen } from './db/listener.ts'
import type { Context } from './domain/context.ts'
import { endAttemptsOf } from './domain/webhooks/in-flight.ts'
import { STOPPED_CHANNEL } from './domain/webhooks/stop.ts'
import type { Waker } from './domain/webhooks/waker.ts'
import { workDeliveries } from './domain/webhooks/work.ts'

const WAKE_CHANNEL = 'webhook_wake'

export type WorkerOptions = {
  /** The one whose `wake` the context carries. */
  waker: Waker
  /** A direct connection: LISTEN does not pass a transaction pooler. */
  target: Target
  /** How long attempts may go on once it is disposed of: 8 s. */
  graceMs?: number
}

/** Passes every wake of this process on to the others. For a process that commits events, whether or not it delivers them. */
export function announceWakes({ db }: Context, waker: Waker): Disposable {
  return { [Symbol.dispose]: waker.onWake(announcer(db, WAKE_CHANNEL)) }
}

/**
 * Delivers until it is disposed of: woken by commits of this process, by those of others, by the next due row, and at the
 * latest after a second. The loss of the listening connection is normal: the loop goes on by its tick. Disposing lets
 * attempts finish for 8 s, cuts the others short and gives them back.
 */
export function startWorker(context: Context, { waker, target, graceMs }: WorkerOptions): AsyncDisposable {
  const stop = new AbortController()
  const work = workDeliveries(context, { signal: stop.signal, onWake: waker.onWake, graceMs })
  const channels = { [WAKE_CHANNEL]: waker.wake, [STOPPED_CHANNEL]: endAttemptsOf }
  let isDeaf = false
  const listener = listen(target, channels, {
    onUp: () => {
      if (isDeaf) context.log.info('Webhooks hear of other processes again')
      isDeaf = false
      waker.wake() // what was announced meanwhile is lost
    },
    onDown: (error) => {
      isDeaf = true
      context.log.warn({ err: error }, 'Webhooks do not hear of other processes for now')
    },
  })
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await work
      await listener[Symbol.asyncDispose]()
    },
  }
}
