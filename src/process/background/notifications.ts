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
/** Each process that listens says so here, to the others. */
const GREETING_CHANNEL = 'listening'

/**
 * Notifies other processes of every commit of an event in this process, whether or not this one delivers webhooks. Where
 * nobody else listens it is spared.
 */
export function notifyCommits({ db }: Context, { id, others, onCommit }: WakeHub): AsyncDisposable {
  const stop = onCommit(announcer(db, WAKE_CHANNEL, { sender: id, others }))
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
  const { others } = wakeHub
  const channels = {
    [CREDENTIALS_CHANNEL]: credentials.end,
    [WAKE_CHANNEL]: (payload: string) => {
      const { sender, names } = announcementIn(payload)
      if (sender === wakeHub.id) return // woken by the commit itself
      others.areThere()
      wakeHub.wakeHere(names)
    },
    [STOPPED_CHANNEL]: endAttemptsOf,
    [GREETING_CHANNEL]: () => others.areThere(),
  }
  const edge = new EdgeLogger(log, {
    down: 'LISTEN connection lost: credentials are looked up on every request',
    up: 'LISTEN connection restored',
  })
  return listenToChannels(target, channels, {
    greeting: { channel: GREETING_CHANNEL, sender: wakeHub.id },
    onUp: () => {
      others.canBeHeard()
      edge.up()
      credentials.trust()
      wakeHub.wakeHere([]) // for events whose notifications were lost
    },
    onDown: (error) => {
      others.cannotBeHeard()
      edge.down({ err: error })
      credentials.distrust()
    },
  })
}
