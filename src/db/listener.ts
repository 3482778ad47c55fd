import type { Sql } from 'postgres'
import { within } from '../time/within.ts'
import { connect, type DatabaseTarget } from './client.ts'
import { GREETING_MS } from './other-listeners.ts'

const RETRY_FIRST_MS = 50
const RETRY_MAX_MS = 2_000
const END_S = 1
const DEAF =
  'A connection that listens did not hear its own greeting: DATABASE_DIRECT_URL has to lead to the primary itself, not through a transaction pooler'

/** Callbacks by channel, called with the payload of each notification. */
export type Channels = Readonly<Record<string, (payload: string) => void>>

export type ListenerOptions = {
  /** After every connection, including the first. Earlier notifications are lost, so read again what they announce. */
  onUp?: () => void
  /** Once per outage. There are no notifications until the next `onUp`. */
  onDown?: (error: unknown) => void
  /** A notification for all who listen, this one too: it is sent once this one listens, which is up when it hears that, and as each ping. */
  greeting?: { channel: string; payload: string }
  pingMs?: number
}

/** Listens until it is disposed of; see `listenToChannels`. */
export type Listener = AsyncDisposable

/**
 * LISTEN on a connection of its own, which reconnects after 50 ms, then with growing pauses of up to 2 s. A ping every 5 s, which
 * may greet the others who listen, detects a server that stopped answering. `target` must be a direct connection: LISTEN does not work through a transaction
 * pooler.
 */
export function listenToChannels(target: DatabaseTarget, channels: Channels, options: ListenerOptions = {}): Listener {
  const listener = new ReconnectingListener(target, channels, options)
  listener.open()
  return listener
}

/** Each connection is a new client, so that the driver never reconnects by itself. */
class ReconnectingListener implements AsyncDisposable {
  readonly #target: DatabaseTarget
  readonly #channels: Channels
  readonly #options: ListenerOptions
  #client: Sql | undefined
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  #isStopped = false

  constructor(target: DatabaseTarget, channels: Channels, options: ListenerOptions) {
    this.#target = target
    this.#channels = channels
    this.#options = options
  }

  open() {
    const { greeting } = this.#options
    let hearItself = () => {}
    const hearsItself = new Promise<void>((resolve) => {
      hearItself = resolve
    })
    const client: Sql = connect(this.#target, {
      name: 'developer-api listen',
      max: 1,
      statementMs: 0,
      onNotify: (channel, payload) => {
        if (channel === greeting?.channel && payload === greeting.payload) hearItself()
        this.#channels[channel]?.(payload)
      },
      onClose: () => this.#reconnect(client, new Error('The LISTEN connection ended')),
    })
    this.#client = client
    this.#listen(client, hearsItself).catch((error) => this.#reconnect(client, error))
  }

  async #listen(client: Sql, hearsItself: Promise<void>) {
    for (const channel of Object.keys(this.#channels)) {
      await this.#answered(client.unsafe(`listen "${channel.replaceAll('"', '""')}"`))
    }
    if (this.#options.greeting) {
      await this.#ping(client)
      await this.#answered(hearsItself, DEAF)
    }
    if (client !== this.#client) return
    this.#failures = 0
    this.#options.onUp?.()
    this.#pingLater(client)
  }

  #pingLater(client: Sql) {
    const ping = () =>
      this.#ping(client).then(
        () => client === this.#client && this.#pingLater(client),
        (error) => this.#reconnect(client, error),
      )
    this.#timer = setTimeout(ping, this.#pingMs).unref()
  }

  #ping(client: Sql): Promise<void> {
    const { greeting } = this.#options
    const ping = greeting ? client`select pg_notify(${greeting.channel}, ${greeting.payload})` : client`select 1`
    return this.#answered(ping)
  }

  #reconnect(client: Sql, error: unknown) {
    if (client !== this.#client || this.#isStopped) return
    this.#client = undefined
    clearTimeout(this.#timer)
    client.end({ timeout: 0 }).catch(() => {}) // the connection is lost already
    if (this.#failures === 0) this.#options.onDown?.(error)
    const pause = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** this.#failures++)
    this.#timer = setTimeout(() => this.open(), pause)
  }

  /** Rejects early when the server is frozen or cut off, which TCP would report only after about a quarter of an hour. */
  async #answered(query: PromiseLike<unknown>, problem = `No answer within ${this.#pingMs} ms`): Promise<void> {
    await within(this.#pingMs, query, () => {
      throw new Error(problem)
    })
  }

  get #pingMs() {
    return this.#options.pingMs ?? GREETING_MS
  }

  async [Symbol.asyncDispose]() {
    this.#isStopped = true
    clearTimeout(this.#timer)
    const client = this.#client
    this.#client = undefined
    await client?.end({ timeout: END_S }).catch(() => {}) // the connection may have been lost meanwhile
  }
}
