import type { Sql } from 'postgres'
import { within } from '../time/within.ts'
import { connect, type DatabaseTarget } from './client.ts'
import { GREETING_MS } from './other-listeners.ts'

const RETRY_FIRST_MS = 50
const RETRY_MAX_MS = 2_000
const END_S = 1
const DEAF =
  'A connection that listens does not hear its own greeting: DATABASE_DIRECT_URL has to lead to the primary itself, not through a transaction pooler'

/** Callbacks by channel, called with the payload of each notification. */
export type Channels = Readonly<Record<string, (payload: string) => void>>

export type ListenerOptions = {
  /** After every connection, including the first. Earlier notifications are lost, so read again what they announce. */
  onUp?: () => void
  /** Once per outage. There are no notifications until the next `onUp`. */
  onDown?: (error: unknown) => void
  /** Of one of the channels: each ping is a notification in it for all who listen, `sender` and a number, and has to be heard here as well. */
  greeting: { channel: string; sender: string }
  pingMs?: number
}

/** Listens until it is disposed of; see `listenToChannels`. */
export type Listener = AsyncDisposable

/**
 * LISTEN on a connection of its own, which reconnects after 50 ms, then with growing pauses of up to 2 s. A ping at once and every 5 s, which
 * greets the others who listen, and is lost unless heard back, detects a server that stopped answering, and one that answers and has
 * forgotten the LISTEN, as behind a pooler or after a failover. `target` must be a direct connection: LISTEN does not work through a transaction pooler.
 */
export function listenToChannels(target: DatabaseTarget, channels: Channels, options: ListenerOptions): Listener {
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
  #pings = 0
  /** Called with what this one has greeted with. */
  #hearOwn: (payload: string) => void = () => {}
  #isStopped = false

  constructor(target: DatabaseTarget, channels: Channels, options: ListenerOptions) {
    this.#target = target
    this.#channels = channels
    this.#options = options
  }

  open() {
    const client: Sql = connect(this.#target, {
      name: 'developer-api listen',
      max: 1,
      statementMs: 0,
      onNotify: (channel, payload) => this.#hear(channel, payload),
      onClose: () => this.#reconnect(client, new Error('The LISTEN connection ended')),
    })
    this.#client = client
    this.#listen(client).catch((error) => this.#reconnect(client, error))
  }

  #hear(channel: string, payload: string) {
    const { greeting } = this.#options
    if (channel === greeting.channel && payload.startsWith(`${greeting.sender} `)) this.#hearOwn(payload)
    else this.#channels[channel]?.(payload)
  }

  async #listen(client: Sql) {
    for (const channel of Object.keys(this.#channels)) {
      await this.#answered(client.unsafe(`listen "${channel.replaceAll('"', '""')}"`))
    }
    await this.#ping(client)
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

  /** Each has a number, so that none passes for heard by what comes late of another. */
  async #ping(client: Sql): Promise<void> {
    const { channel, sender } = this.#options.greeting
    const ping = `${sender} ${++this.#pings}`
    const isHeard = new Promise<void>((resolve) => {
      this.#hearOwn = (payload) => payload === ping && resolve()
    })
    await this.#answered(client`select pg_notify(${channel}, ${ping})`)
    await this.#answered(isHeard, DEAF)
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
