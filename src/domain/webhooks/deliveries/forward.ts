import type { Context } from '../../core/context.ts'
import type { LoggedEvent } from '../../core/live.ts'
import { sampleEvent } from '../../events/sample-event.ts'
import type { EventType } from '../../events/types.ts'
import { createSender, type Sender, sendAttempt } from '../http/send.ts'
import { DatabaseClock } from '../queue/database-clock.ts'
import { signingKey } from '../secrets/sign.ts'

type Receiver = {
  url: string
  /** Which addresses may be called, usually private ones as well: whoever runs this can reach them anyway. */
  targets: Context['targets']
  /** A signing secret like that of a subscription. */
  secret: string
}
export type Forwarding<Event extends LoggedEvent> = Receiver & {
  /** Ends after this many events. */
  count?: number | undefined
  signal: AbortSignal
  /** Called once, when every event from then on will be sent. */
  onListening: () => void
  onForwarded: (forwarded: Forwarded, event: Event) => void
}
export type Forwarded = {
  id: string
  type: string
  status: number | null
  error_class: string | null
  detail: string | null
  duration_ms: number
}

const NO_SUBSCRIPTION = 'sub_forwarded'

/**
 * Sends events to one receiver in their order, until they end, `count` were sent or `signal` aborts. Each is sent once,
 * whatever the receiver answers. For trying out a receiver: it needs no subscription and records nothing.
 */
export async function forwardEvents<Event extends LoggedEvent>(
  batches: AsyncIterable<readonly Event[]>,
  { count = Infinity, ...to }: Forwarding<Event>,
): Promise<void> {
  const sender = createSender(to)
  try {
    let left = count
    let isListening = false
    for await (const events of batches) {
      if (!isListening) to.onListening()
      isListening = true
      for (const event of events.slice(0, left)) to.onForwarded(await forward(sender, event, to), event)
      left -= events.length
      if (left <= 0 || to.signal.aborted) break
    }
  } finally {
    await sender.transport.close()
  }
}

/** Sends one sample of a type to a receiver. It needs no subscription and records nothing. */
export async function forwardSample(type: EventType, to: Receiver): Promise<Forwarded> {
  const sender = createSender(to)
  try {
    return await forward(sender, sampleEvent(type, new Date()), { ...to, signal: new AbortController().signal })
  } finally {
    await sender.transport.close()
  }
}

async function forward(
  sender: Sender,
  { id, type, payload }: LoggedEvent,
  { url, secret, signal }: Receiver & { signal: AbortSignal },
): Promise<Forwarded> {
  const delivery = { event_id: id, type: type as EventType, subscription_id: NO_SUBSCRIPTION, attempts: 0 }
  const request = { delivery, url, payload, keys: [signingKey(secret)] }
  const { record } = await sendAttempt(sender, request, new DatabaseClock(Date.now()), signal)
  const { status, errorClass, detail, durationMs } = record
  return { id, type, status, error_class: errorClass, detail, duration_ms: durationMs }
}
