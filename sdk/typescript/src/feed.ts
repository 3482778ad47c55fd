import { ApiError, ConnectionError, errorOf } from './errors.ts'
import type { EventOf, EventType } from './events.ts'
import { timer, unlessAborted } from './limit.ts'
import { jsonOf, nextIn } from './pages.ts'
import { partsOf, type StreamPart } from './sse.ts'
import type { Credentials } from './tokens.ts'
import type { Call, Query, Transport } from './transport.ts'
import { delayMs, wait } from './wait.ts'

export type FollowOptions<Type extends EventType> = {
  /** Which events; all that the credential may read when left out. */
  types?: readonly Type[] | undefined
  /** A username or an identifier. A user's token reads its own channel alone. */
  channel?: string | undefined
  /** Where to go on: the `cursor` that was kept. Begins now when neither this nor `since` is given. */
  after?: string | undefined
  /** A time (RFC 3339): what has happened from then on, at most 30 days back. */
  since?: string | undefined
  /** Ends the iteration. */
  signal?: AbortSignal | undefined
  /** Called when the stream is open: at first, and each time that it was opened again. */
  onOpen?: (() => void) | undefined
  /** Called with the reason when it could not be opened or was lost; it is tried again, however long that takes. */
  onLost?: ((error: ApiError | ConnectionError) => void) | undefined
}

/** How many identifiers of the last events are known again: behind a resume over every channel some may come twice. */
const KNOWN_MAX = 10_000

/**
 * The feed as something to iterate over. It is cut off now and then, and goes on where it was: no event is missing, and none comes
 * twice. It ends by its signal, by leaving the loop, or by an error that waiting does not help.
 */
export class Feed<Type extends EventType> implements AsyncIterable<EventOf<Type>> {
  readonly #transport: Transport
  readonly #credentials: Credentials
  readonly #options: FollowOptions<Type>
  readonly #known = new Set<string>()
  #cursor: string | undefined
  /** Ends what is asked, or open. */
  #connection = new AbortController()
  #failures = 0
  /** How many credentials in a row were got because the stream was refused to the one before. */
  #renewals = 0

  constructor(transport: Transport, credentials: Credentials, options: FollowOptions<Type>) {
    this.#transport = transport
    this.#credentials = credentials
    this.#options = options
    this.#cursor = options.after
  }

  /** Goes on behind the event that the loop is at. Keep it when the work for that event is done. */
  get cursor(): string | undefined {
    return this.#cursor
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EventOf<Type>, void, undefined> {
    const { signal } = this.#options
    const end = () => this.#connection.abort(signal?.reason)
    signal?.addEventListener('abort', end)
    try {
      while (!signal?.aborted) {
        yield* this.#eventsOf(await this.#open())
      }
    } catch (error) {
      if (!signal?.aborted) throw error
    } finally {
      signal?.removeEventListener('abort', end)
    }
  }

  /** The events of one connection, until it is lost. */
  async *#eventsOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<EventOf<Type>, void, undefined> {
    const parts = partsOf(body)
    try {
      for (;;) {
        const part = await parts.next().catch((error: unknown) => this.#lost('cut the stream off', error)) // or is silent
        if (!part || part.done || part.value.event === 'end') return
        this.#failures = 0
        const event = this.#eventIn(part.value)
        if (part.value.id) this.#cursor = part.value.id
        if (event) yield event
      }
    } finally {
      await parts.return()
    }
  }

  #eventIn({ event, data }: StreamPart): EventOf<Type> | undefined {
    if (event === 'progress' || data === '') return undefined
    const found: EventOf<Type> = JSON.parse(data)
    if (this.#known.has(found.id)) return undefined
    this.#known.add(found.id)
    const [oldest] = this.#known
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest)
    return found
  }

  /** Opens the stream, however long that takes: only a refusal that another try does not change is thrown. */
  async #open(): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    for (;;) {
      const { signal, onOpen } = this.#options
      if (this.#failures > 0) await wait(delayMs(this.#failures - 1, undefined), signal)
      this.#failures++ // until something is heard
      const opened = await this.#ask()
      if (opened) {
        onOpen?.()
        return opened
      }
    }
  }

  async #ask(): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | undefined> {
    const { signal, onLost } = this.#options
    signal?.throwIfAborted()
    this.#connection = new AbortController()
    try {
      const authorization = await unlessAborted(this.#connection.signal, this.#credentials.authorization())
      return await this.#streamOf(authorization)
    } catch (error) {
      signal?.throwIfAborted()
      if (!isForNow(error)) throw error
      onLost?.(error)
      if (error instanceof ApiError && error.retryAfterS !== undefined) await wait(error.retryAfterS * 1_000, signal)
      return undefined
    }
  }

  /** The stream; nothing, where another credential may get it. */
  async #streamOf(authorization: string | undefined): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | undefined> {
    const opened = await this.#openInTime(authorization)
    if (!(opened instanceof ApiError)) {
      this.#renewals = 0
      return opened
    }
    const mayRenew = opened.status === 401 && this.#renewals < 2
    const { signal } = this.#connection
    const isRenewed = mayRenew && (await unlessAborted(signal, this.#credentials.renew(authorization)))
    if (!isRenewed) throw opened
    this.#renewals++
    return undefined
  }

  /** The stream, or the whole of a refusal. */
  async #openInTime(authorization: string | undefined): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | ApiError> {
    const connection = this.#connection
    const late = timer(() => connection.abort(new Error('It was not open in time.')), this.#transport.timeoutMs)
    const open = async () => {
      const response = await this.#transport.open(this.#call(authorization))
      return response.ok && response.body ? response.body : errorOf(response)
    }
    try {
      return await unlessAborted(connection.signal, open())
    } catch (cause) {
      throw cause instanceof ApiError ? cause : this.#connectionError('did not answer', cause)
    } finally {
      clearTimeout(late)
    }
  }

  #lost(what: string, cause: unknown): undefined {
    if (!this.#options.signal?.aborted) this.#options.onLost?.(this.#connectionError(what, cause))
  }

  #connectionError(what: string, cause: unknown): ConnectionError {
    return new ConnectionError(`${this.#transport.baseUrl} ${what}.`, { cause })
  }

  #call(authorization: string | undefined): Call {
    return {
      method: 'GET',
      path: '/v1/events',
      query: this.#query(),
      headers: { accept: 'text/event-stream', ...(authorization && { authorization }) },
      signal: this.#connection.signal,
    }
  }

  #query(): Query {
    const { types, channel, since } = this.#options
    const place = this.#cursor === undefined ? { since } : { after: this.#cursor }
    return { types: types?.join(), channel, ...place }
  }
}

/** What another try may change, of the stream as of a refresh of its credential. */
const isForNow = (error: unknown): error is ApiError | ConnectionError =>
  error instanceof ConnectionError || (error instanceof ApiError && (error.status === 429 || error.status >= 500))

/** A page of the feed. A feed has no last one. */
export type FeedPage<Type extends EventType> = { events: EventOf<Type>[]; next: string }

export async function feedPageOf<Type extends EventType>(response: Response): Promise<FeedPage<Type>> {
  const { data } = await jsonOf<{ data: EventOf<Type>[] }>(response)
  const next = nextIn(response, 'after')
  if (next === undefined) throw new ConnectionError('The answer leads nowhere: it is not of this service.')
  return { events: data, next }
}
