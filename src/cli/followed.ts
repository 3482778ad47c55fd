import type { createClient } from '../client/index.ts'
import type { SubscribableType } from '../domain/webhooks/catalogue.ts'
import type { LoggedEvent } from '../domain/webhooks/event-log.ts'

type Client = ReturnType<typeof createClient>

/** What a stream that was cut off may bring again happened within seconds. */
const REMEMBERED = 10_000

/**
 * The events that the service tells of, each once, over as many connections as it takes, until `signal` aborts. Throws
 * what the service refuses, and when it cannot be reached at the beginning; later it is asked again and again.
 */
export async function* followed(
  api: Client,
  types: SubscribableType[] | undefined,
  signal: AbortSignal,
): AsyncGenerator<LoggedEvent[]> {
  await api.webhooks.eventTypes.query({}) // a stream would wait for a service that is not there
  const seen = new Set<string>()
  for await (const { data } of api.deliveries.follow.subscribe({ types }, { signal })) {
    yield data.events.filter(({ id }) => !seen.has(id))
    for (const { id } of data.events) seen.add(id)
    for (const id of seen) {
      if (seen.size <= REMEMBERED) break
      seen.delete(id) // the oldest, for a set keeps its order
    }
  }
}
