import type { IncomingMessage, ServerResponse } from 'node:http'

/** More requests at once would only wait for the database: a quick 503 serves callers better than a long queue. */
const REQUESTS_MAX = 1_000
/** Streams of live updates wait for most of their life; each costs a socket and little else. */
const STREAMS_MAX = 10_000

/** How many requests a process works on at this moment, within bounds. */
export class LoadLimit {
  #requests = 0
  #streams = 0

  /** Takes a place until the response has ended, or says that there is none. Whoever asks after our health is let in. */
  hasPlaceFor(request: IncomingMessage, response: ServerResponse): boolean {
    const waits = isStream(request)
    const isFull = waits ? this.#streams >= STREAMS_MAX : this.#requests >= REQUESTS_MAX
    if (isFull && !request.url?.startsWith('/health')) return false
    this.#count(waits, 1)
    response.once('close', () => this.#count(waits, -1))
    return true
  }

  get requests(): number {
    return this.#requests
  }

  get streams(): number {
    return this.#streams
  }

  #count(waits: boolean, by: number) {
    if (waits) this.#streams += by
    else this.#requests += by
  }
}

/** Whether a caller asks for a stream of live updates, which exist at /trpc alone. */
export const isStream = ({ url = '', headers }: IncomingMessage) =>
  url.startsWith('/trpc/') && headers.accept?.includes('text/event-stream') === true
