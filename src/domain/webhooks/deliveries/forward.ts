import type { Context } from '../../core/context.ts'
import type { LoggedEvent } from '../../events/log.ts'
import type { EventType } from '../../events/types.ts'
import { createSender, type Sender, sendAttempt } from '../http/send.ts'
import { DatabaseClock } from '../queue/database-clock.ts'
import { signingKey } from '../secrets/sign.ts'

export type Forwarding = {
  url: string
  /** What may be called; private addresses, too: whoever runs this may call them anyway. */
  targets: Context['targets']
  /** Signs what is sent, as a subscription's secret would. */
  secret: string
  /** Ends after so many. */
  count?: number | undefined
  signal: AbortSignal
  /** Called once: what happens from here on is sent. */
  onListening: () => void
  onForwarded: (forwarded: Forwarded) => void
}
export type Forwarded = {
  id: string
  type: string
  status: number | null
  error_class: string | null
  duration_ms: number
}

const NO_SUBSCRIPTION = 'sub_forwarded'

/**
 * Sends events to one receiver, in their order, until they end, `count` were sent or `signal` aborts: each once, whatever
 * the receiver answers. For trying out a receiver; it is no subscription, keeps no record and tries nothing again.
 */
export async function forwardEvents(
  batches: AsyncIterable<readonly LoggedEvent[]>,
  { count = Infinity, ...to }: Forwarding,
): Promise<void> {
  const sender = createSender(to)
  try {
    let left = count
    let isListening = false
    for await (const events of batches) {
      if (!isListening) to.onListening()
      isListening = true
      for (const event of events.slice(0, left)) to.onForwarded(await forward(sender, event, to))
      left -= events.length
      if (left <= 0 || to.signal.aborted) break
    }
  } finally {
    await sender.transport.close()
  }
}

async function forward(
  sender: Sender,
  { id, type, payload }: LoggedEvent,
  { url, secret, signal }: Omit<Forwarding, 'count'>,
) {
  const delivery = { event_id: id, type: type as EventType, subscription_id: NO_SUBSCRIPTION, attempts: 0 }
  const parcel = { delivery, url, payload, keys: [signingKey(secret)] }
  const { record } = await sendAttempt(sender, parcel, new DatabaseClock(Date.now()), signal)
  return { id, type, status: record.status, error_class: record.errorClass, duration_ms: record.durationMs }
}
