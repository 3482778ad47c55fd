import { Bell } from './bell.ts'
import type { EventType } from './catalogue.ts'
import { DatabaseClock } from './clock.ts'
import { FollowedLog } from './followed-log.ts'
import type { OwnerContext } from './owned.ts'
import { attempt, createSender, type Sender } from './send.ts'
import { signingKey } from './sign.ts'

export type Forwarding = {
  /** Any address, private ones too: whoever runs this may call them anyway. */
  url: string
  /** Signs what is sent, as a subscription's secret would. */
  secret: string
  /** All when left out. */
  types?: readonly EventType[] | undefined
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

const LOOK_MS = 1_000
const NO_SUBSCRIPTION = 'sub_forwarded'

/**
 * Sends the events that happen from now on to one receiver, in order, until `signal`: each once, whatever the receiver
 * answers. For trying out a receiver; it is no subscription, keeps no record and tries nothing again.
 */
export async function forwardEvents(ctx: OwnerContext, { count = Infinity, ...to }: Forwarding): Promise<void> {
  const sender = createSender({ targets: { ...ctx.targets, allowPrivate: true } })
  const bell = new Bell()
  const stopHearing = ctx.onWake(bell.ring)
  try {
    const log = new FollowedLog(ctx)
    to.onListening()
    for (let sent = 0; sent < count && !to.signal.aborted; ) {
      const { events, isEnd } = await log.read(ctx)
      const wanted = events.filter(({ type }) => to.types?.some((one) => one === type) ?? true)
      for (const event of wanted.slice(0, count - sent)) to.onForwarded(await forward(sender, event, to))
      sent += wanted.length
      if (isEnd) await bell.heard(LOOK_MS, to.signal)
    }
  } finally {
    stopHearing()
    await sender.transport.close()
  }
}

type LoggedEvent = { id: string; type: string; payload: string }

async function forward(
  sender: Sender,
  { id, type, payload }: LoggedEvent,
  { url, secret, signal }: Omit<Forwarding, 'count'>,
) {
  const delivery = { event_id: id, type: type as EventType, subscription_id: NO_SUBSCRIPTION, attempts: 0 }
  const parcel = { delivery, url, payload, keys: [signingKey(secret)] }
  const { record } = await attempt(sender, parcel, new DatabaseClock(Date.now()), signal)
  return { id, type, status: record.status, error_class: record.errorClass, duration_ms: record.durationMs }
}
