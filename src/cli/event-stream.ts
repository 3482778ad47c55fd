import type { createClient } from '../client/index.ts'
import type { LoggedEvent } from '../domain/events/log.ts'
import type { SubscribableType } from '../domain/events/types.ts'

type Client = ReturnType<typeof createClient>

/** Enough for the last seconds of events, which a reconnected stream may repeat. */
const REMEMBERED_MAX = 10_000

export type StreamOptions = {
  /** All when left out. */
  types: SubscribableType[] | undefined
  signal: AbortSignal
  /** Called when the connection is lost (true) and when it is restored (false). */
  onInterruption: (isInterrupted: boolean) => void
}

/**
 * The events of the service, each once, over any number of connections, until `signal` aborts. Throws when the service
 * refuses, or cannot be reached at the beginning; later it reconnects until it succeeds.
 */
export async function* streamEvents(api: Client, options: StreamOptions): AsyncGenerator<LoggedEvent[]> {
  await api.webhooks.eventTypes.query({}) // fails when there is no service, where a stream would go on trying
  const seen = new Set<string>()
  for await (const events of streamOf(api, options)) {
    yield events.filter(({ id }) => !seen.has(id))
    for (const { id } of events) seen.add(id)
    for (const id of seen) {
      if (seen.size <= REMEMBERED_MAX) break
      seen.delete(id) // the oldest: a set keeps the order of insertion
    }
  }
}

function streamOf(api: Client, { types, signal, onInterruption }: StreamOptions): ReadableStream<LoggedEvent[]> {
  let wasInterrupted = false
  const setInterrupted = (isInterrupted: boolean) => {
    if (isInterrupted !== wasInterrupted) onInterruption(isInterrupted)
    wasInterrupted = isInterrupted
  }
  let isCancelled = false
  let stop = () => {}
  return new ReadableStream<LoggedEvent[]>({
    start(controller) {
      const subscription = api.deliveries.follow.subscribe(
        { types },
        {
          signal,
          onStarted: () => setInterrupted(false),
          onConnectionStateChange: ({ error }) => setInterrupted(error !== null),
          onData: ({ data }) => controller.enqueue(data.events),
          onError: (error) => controller.error(error),
          onComplete: () => isCancelled || controller.close(),
        },
      )
      stop = () => {
        isCancelled = true
        subscription.unsubscribe()
      }
    },
    cancel: () => stop(),
  })
}
