import type { DatabaseTarget } from '../../db/client.ts'
import { listenToChannels } from '../../db/listener.ts'
import { announcer } from '../../db/notifier.ts'
import type { Context } from '../../domain/core/context.ts'
import type { WakeHub } from '../../domain/events/wake-hub.ts'
import { endAttemptsOf } from '../../domain/webhooks/queue/in-flight.ts'
import { STOPPED_CHANNEL } from '../../domain/webhooks/subscriptions/delete.ts'
import { EdgeLogger } from '../../telemetry/edge-logger.ts'
import type { ProcessContext } from '../context.ts'

/** Triggers of the database notify this channel of changes that may invalidate a credential (see the migrations). */
const CREDENTIALS_CHANNEL = 'credential_changes'
const WAKE_CHANNEL = 'webhook_wake'

/** Notifies other processes of every commit of an event in this process, whether or not this one delivers webhooks. */
export function notifyCommits({ db }: Context, waker: WakeHub): AsyncDisposable {
  const stop = waker.onCommit(announcer(db, WAKE_CHANNEL))
  return { [Symbol.asyncDispose]: async () => stop() }
}

/**
 * Receives notifications of all processes: of new events, of stopped subscriptions, and of changed credentials, which may be
 * cached only while these arrive. They share one connection, which may be lost at any time: meanwhile credentials are looked
 * up on every request, and whatever waits for events polls every second. `target` must be a direct connection.
 */
export function listenToNotifications(
  context: Pick<ProcessContext, 'credentials' | 'log'>,
  { waker, target }: { waker: WakeHub; target: DatabaseTarget },
): AsyncDisposable {
  const { credentials, log } = context
  const channels = {
    [CREDENTIALS_CHANNEL]: credentials.forget,
    [WAKE_CHANNEL]: waker.wakeHere,
    [STOPPED_CHANNEL]: endAttemptsOf,
  }
  const edge = new EdgeLogger(log, {
    down: 'LISTEN connection lost: credentials are looked up on every request',
    up: 'LISTEN connection restored',
  })
  return listenToChannels(target, channels, {
    onUp: () => {
      edge.up()
      credentials.trust()
      waker.wakeHere() // for events whose notifications were lost
    },
    onDown: (error) => {
      edge.down({ err: error })
      credentials.distrust()
    },
  })
}
