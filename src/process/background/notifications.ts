import type { DatabaseTarget } from '../../db/client.ts'
import { listenToChannels } from '../../db/listener.ts'
import { announcementIn, announcer } from '../../db/notifier.ts'
import type { Context } from '../../domain/core/context.ts'
import type { WakeHub } from '../../domain/events/wake-hub.ts'
import { endAttemptsOf } from '../../domain/webhooks/queue/in-flight.ts'
import { STOPPED_CHANNEL } from '../../domain/webhooks/subscriptions/delete.ts'
import { EdgeLogger } from '../../telemetry/edge-logger.ts'
import type { ProcessContext } from '../context.ts'

/** Triggers of the database say on this channel what has ended that credentials depend on (see the migrations). */
const CREDENTIALS_CHANNEL = 'credential_changes'
const WAKE_CHANNEL = 'webhook_wake'

/** Notifies other processes of every commit of an event in this process, whether or not this one delivers webhooks. */
export function notifyCommits({ db }: Context, wakeHub: WakeHub): AsyncDisposable {
  const stop = wakeHub.onCommit(announcer(db, WAKE_CHANNEL, wakeHub.id))
  return { [Symbol.asyncDispose]: async () => stop() }
}

/**
 * Receives notifications of all processes: of new events, of stopped subscriptions, and of changed credentials, which may be
 * cached only while these arrive. They share one connection, which may be lost at any time: meanwhile credentials are looked
 * up on every request, and whatever waits for events polls every second. `target` must be a direct connection.
 */
export function listenToNotifications(
  context: Pick<ProcessContext, 'credentials' | 'log'>,
  { wakeHub, target }: { wakeHub: WakeHub; target: DatabaseTarget },
): AsyncDisposable {
  const { credentials, log } = context
  const channels = {
    [CREDENTIALS_CHANNEL]: credentials.end,
    [WAKE_CHANNEL]: (payload: string) => {
      const { sender, names } = announcementIn(payload)
      if (sender !== wakeHub.id) wakeHub.wakeHere(names) // whoever announced it was woken by the commit itself
    },
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
      wakeHub.wakeHere([]) // for events whose notifications were lost
    },
    onDown: (error) => {
      edge.down({ err: error })
      credentials.distrust()
    },
  })
}
