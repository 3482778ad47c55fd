import type { DatabaseTarget } from '../../db/client.ts'
import { listenToChannels } from '../../db/listener.ts'
import { announcer } from '../../db/notifier.ts'
import type { Context } from '../../domain/core/context.ts'
import type { WakeHub } from '../../domain/events/wake-hub.ts'
import { endAttemptsOf } from '../../domain/webhooks/queue/in-flight.ts'
import { STOPPED_CHANNEL } from '../../domain/webhooks/subscriptions/delete.ts'
import type { ProcessContext } from '../context.ts'

/** The channel on which the database itself announces what makes a credential worth less (see the migrations). */
const CREDENTIALS_CHANNEL = 'credential_changes'
const WAKE_CHANNEL = 'webhook_wake'

/** Tells the others of every commit of an event in this process, whether or not it delivers webhooks. */
export function notifyCommits({ db }: Context, waker: WakeHub): Disposable {
  return { [Symbol.dispose]: waker.onCommit(announcer(db, WAKE_CHANNEL)) }
}

/**
 * Hears of what all processes do: of new events, of subscriptions that were stopped, of credentials that ended, which may
 * be remembered for as long. One connection, whose loss is normal: meanwhile credentials are looked up on every request,
 * and who waits for events looks each second. `target`: a direct connection.
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
  let isDeaf = false
  return listenToChannels(target, channels, {
    onUp: () => {
      if (isDeaf) log.info('Other processes are heard again')
      isDeaf = false
      credentials.trust()
      waker.wakeHere() // what was announced meanwhile is lost
    },
    onDown: (error) => {
      isDeaf = true
      credentials.distrust()
      log.warn({ err: error }, 'Other processes are not heard: credentials are looked up on every request for now')
    },
  })
}
