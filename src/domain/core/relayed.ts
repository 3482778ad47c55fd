/** What verbs know of a broker that carries copies of events from one process to the others; the room `nats` is behind it. */

/** An event on its way: with its channel, and its places among the events of that channel and among all. */
export type RelayedEvent = {
  id: string
  type: string
  payload: string
  channelId: string
  sequence: number
  position: number
  /** The position of the event that was relayed before it. */
  previous: number
}

/** Where one process at a time puts events, in their order. */
export type EventPublisher = {
  /**
   * Begins anew after another process has published, or something failed. Resolves to the position of the event that is stored
   * last; undefined when there is none. Rejects while the broker is away.
   */
  resume(): Promise<number | undefined>
  /** Stores events, all of them or those up to the first that fails. Rejects when it failed, or another process published. */
  publish(events: readonly RelayedEvent[]): Promise<void>
}

/** Brings events to this process without a statement. What it has not brought is in the database. */
export type EventSource = {
  /** Whether events come; while they do not, and for those that were missed, the database is read. */
  readonly isLive: boolean
  /** Calls `onEvent` for the events of a channel, or of every channel, until the returned function is called. */
  subscribe(key: string, onEvent: (event: RelayedEvent) => void): () => void
  /** Calls `listener` whenever `isLive` has changed. */
  onChange(listener: () => void): void
}
