import type { createClient } from '../client/index.ts'
import type { LoggedEvent } from '../domain/events/log.ts'
import type { SubscribableType } from '../domain/events/types.ts'

type Client = ReturnType<typeof createClient>

/** What a stream that was cut off may bring again happened within seconds. */
const REMEMBERED = 10_000

export type Watch = {
  /** All when left out. */
  types: SubscribableType[] | undefined
  signal: AbortSignal
  /** Called when the connection is lost, and when there is one again. */
  onCut: (isCut: boolean) => void
}

/**
 * The events that the service tells of, each once, over as many connections as it takes, until `signal` aborts. Throws
 * what the service refuses, and when it cannot be reached at the beginning; later it is asked again and again.
 */
export async function* followed(api: Client, watch: Watch): AsyncGenerator<LoggedEvent[]> {
  await api.webhooks.eventTypes.query({}) // a stream would wait for a service that is not there
  const seen = new Set<string>()
  for await (const events of streamOf(api, watch)) {
    yield events.filter(({ id }) => !seen.has(id))
    for (const { id } of events) seen.add(id)
    for (const id of seen) {
      if (seen.size <= REMEMBERED) break
      seen.delete(id) // the oldest, for a set keeps its order
    }
  }
}

function streamOf(api: Client, { types, signal, onCut }: Watch): ReadableStream<LoggedEvent[]> {
  let isCut = false
  const told = (now: boolean) => {
    if (now !== isCut) onCut(now)
    isCut = now
  }
  let isLeft = false
  let stop = () => {}
  return new ReadableStream<LoggedEvent[]>({
    start(controller) {
      const subscription = api.deliveries.follow.subscribe(
        { types },
        {
          signal,
          onStarted: () => told(false),
          onConnectionStateChange: ({ error }) => told(error !== null),
          onData: ({ data }) => controller.enqueue(data.events),
          onError: (error) => controller.error(error),
          onComplete: () => isLeft || controller.close(),
        },
      )
      stop = () => {
        isLeft = true
        subscription.unsubscribe()
      }
    },
    cancel: () => stop(),
  })
}
