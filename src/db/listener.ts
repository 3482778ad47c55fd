import type { Sql } from 'postgres'
import { connect, type DatabaseTarget } from './client.ts'

const PING_MS = 5_000
const RETRY_FIRST_MS = 50
const RETRY_MOST_MS = 2_000
const END_S = 1

/** What is called with the payload of each notification of a channel. */
export type Channels = Readonly<Record<string, (payload: string) => void>>

export type ListenerOptions = {
  /** After every connection, the first one too: what was notified before it is lost, so what was announced is read again. */
  onUp?: () => void
  /** Once per outage. Until the next `onUp`, nothing is heard. */
  onDown?: (error: unknown) => void
  pingMs?: number
}

/** Listens until it is disposed of; see `listen`. */
export type Listener = AsyncDisposable

/**
 * LISTEN on a connection of its own, which comes back by itself: after 50 ms, then less and less often, every 2 s at most.
 * A server that only fell silent is noticed by a ping. `target` must be a direct connection: LISTEN does not pass a
 * transaction pooler.
 */
export function listenToChannels(target: DatabaseTarget, channels: Channels, options: ListenerOptions = {}): Listener {
  const listener = new Reconnecting(target, channels, options)
  listener.open()
  return listener
}

/** One life of the connection is one client, so that nothing of it comes back on its own. */
class Reconnecting implements AsyncDisposable {
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
    const client: Sql = connect(this.#target, {
      name: 'developer-api listen',
      max: 1,
      statementMs: 0,
      onNotify: (channel, payload) => this.#channels[channel]?.(payload),
      onClose: () => this.#lose(client, new Error('The listening connection ended')),
    })
    this.#client = client
    this.#begin(client).catch((error) => this.#lose(client, error))
  }

  async #begin(client: Sql) {
    for (const channel of Object.keys(this.#channels)) {
      await this.#within(client.unsafe(`listen "${channel.replaceAll('"', '""')}"`))
    }
    if (client !== this.#client) return
    this.#failures = 0
    this.#options.onUp?.()
    this.#pingLater(client)
  }

  #pingLater(client: Sql) {
    const ping = () =>
      this.#within(client.unsafe('select 1')).then(
        () => client === this.#client && this.#pingLater(client),
        (error) => this.#lose(client, error),
      )
    this.#timer = setTimeout(ping, this.#pingMs).unref()
  }

  #lose(client: Sql, error: unknown) {
    if (client !== this.#client || this.#isStopped) return
    this.#client = undefined
    clearTimeout(this.#timer)
    client.end({ timeout: 0 }).catch(() => {}) // it is lost already
    if (this.#failures === 0) this.#options.onDown?.(error)
    const pause = Math.min(RETRY_MOST_MS, RETRY_FIRST_MS * 2 ** this.#failures++)
    this.#timer = setTimeout(() => this.open(), pause)
  }

  /** A server that is frozen or cut off answers nothing at all, for a quarter of an hour. */
  async #within(query: PromiseLike<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const silence = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`No answer within ${this.#pingMs} ms`)), this.#pingMs)
    })
    try {
      await Promise.race([query, silence])
    } finally {
      clearTimeout(timer)
    }
  }

  get #pingMs() {
    return this.#options.pingMs ?? PING_MS
  }

  async [Symbol.asyncDispose]() {
    this.#isStopped = true
    clearTimeout(this.#timer)
    const client = this.#client
    this.#client = undefined
    await client?.end({ timeout: END_S }).catch(() => {}) // it may be lost meanwhile
  }
}
