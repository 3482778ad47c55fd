import type { NatsConnection, Status } from '@nats-io/transport-node'
import { EdgeLogger } from '../telemetry/edge-logger.ts'
import type { Logger } from '../telemetry/logger.ts'
import { natsMetrics } from './metrics.ts'

/** A server that says nothing for so long is asked; one that does not answer twice is away. */
const ASKED_EVERY_MS = 400
const UNANSWERED_MAX = 2
const AGAIN_MS = 500
const CONNECT_MS = 2_000

/** The one connection of a process to NATS, which may be away at any time, also at the start. */
export class NatsLink implements AsyncDisposable {
  readonly #edge: EdgeLogger
  readonly #listeners = new Set<() => void>()
  #connection: NatsConnection | undefined
  #isLive = false
  #isClosed = false

  constructor(log: Logger) {
    this.#edge = new EdgeLogger(log, {
      down: 'NATS away: events are read from the database',
      up: 'NATS is there: events come from it',
    })
    Object.assign(natsMetrics, { isUsed: true, isAway: true })
  }

  get isLive(): boolean {
    return this.#isLive
  }

  /** Undefined until it was there for the first time. Afterwards it connects again by itself. */
  get connection(): NatsConnection | undefined {
    return this.#connection
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** Connects, now or when the server is there. `url` may name several servers, separated by commas. */
  async open(url: string): Promise<void> {
    const { connect } = await import('@nats-io/transport-node') // loaded on demand, as other configurations do not need it
    const opening = connect({
      ...serversIn(url),
      name: 'developer-api',
      timeout: CONNECT_MS,
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: AGAIN_MS,
      pingInterval: ASKED_EVERY_MS,
      maxPingOut: UNANSWERED_MAX,
      ignoreAuthErrorAbort: true, // whoever mends the credentials need not restart us
    })
    opening.then(
      (connection) => this.#opened(connection),
      (error: unknown) => this.#edge.down({ err: error }),
    )
    await Promise.race([opening.catch(() => undefined), waited(CONNECT_MS)])
    if (!this.#isLive) this.#edge.down({ reason: 'no answer yet' })
  }

  async #opened(connection: NatsConnection) {
    if (this.#isClosed) return connection.close()
    this.#connection = connection
    this.#set(true)
    for await (const status of connection.status()) this.#hear(status)
  }

  #hear(status: Status) {
    if (status.type === 'reconnect') this.#set(true)
    else if (status.type === 'disconnect' || status.type === 'staleConnection') this.#set(false, status.type)
    else if (status.type === 'close') this.#set(false, status.type)
  }

  #set(isLive: boolean, reason?: string) {
    if (this.#isLive === isLive) return
    this.#isLive = isLive
    natsMetrics.isAway = !isLive
    if (isLive) this.#edge.up()
    else if (!this.#isClosed) this.#edge.down({ reason })
    for (const listener of this.#listeners) listener()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    Object.assign(natsMetrics, { isUsed: false, isAway: false })
    await this.#connection?.close()
  }
}

const waited = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref())

/** The library takes no credentials from an address. */
function serversIn(url: string) {
  const all = url.split(',').map((one) => new URL(one.trim()))
  const [first] = all
  const { username = '', password = '' } = first ?? {}
  return {
    servers: all.map(({ host }) => host),
    ...(username && password && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(username && !password && { token: decodeURIComponent(username) }),
    ...(first?.protocol === 'tls:' && { tls: {} }),
  }
}
