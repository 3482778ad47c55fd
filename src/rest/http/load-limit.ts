import type { ServerResponse } from 'node:http'
import type { RequestRecord } from './request-record.ts'

/** More requests at once would only wait for the database: a quick 503 serves callers better than a long queue. */
const REQUESTS_MAX = 1_000
/** Streams of live updates are idle most of the time; each costs a socket and little else. */
const STREAMS_MAX = 10_000

/** How many requests a process works on at this moment, within bounds. */
export class LoadLimit {
  #requests = 0
  #streams = 0

  /** Takes a place until the response has closed. False when there is none; health checks are always let in. */
  hasPlaceFor({ isStream, url }: Pick<RequestRecord, 'isStream' | 'url'>, response: ServerResponse): boolean {
    const isFull = isStream ? this.#streams >= STREAMS_MAX : this.#requests >= REQUESTS_MAX
    if (isFull && !url.startsWith('/health')) return false
    this.#count(isStream, 1)
    response.once('close', () => this.#count(isStream, -1))
    return true
  }

  get requests(): number {
    return this.#requests
  }

  get streams(): number {
    return this.#streams
  }

  #count(isStream: boolean, by: number) {
    if (isStream) this.#streams += by
    else this.#requests += by
  }
}
