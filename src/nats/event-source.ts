import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node'
import type { EventSource, RelayedEvent } from '../domain/core/relayed.ts'
import type { NatsLink } from './connection.ts'
import { POSITION, PREVIOUS, SEQUENCE, subjectsOfLine } from './event-subject.ts'

const PREFIX = 'events.'
type Wanted = { key: string; onEvent: (event: RelayedEvent) => void; subscription: Subscription | undefined }

/** Hears of events as they are relayed. A message that is not of the relay's form is passed over: the database has the event. */
export class NatsSource implements EventSource {
  readonly #link: NatsLink
  readonly #wanted = new Set<Wanted>()
  #connection: NatsConnection | undefined

  constructor(link: NatsLink) {
    this.#link = link
    link.onChange(() => this.#connect())
  }

  get isLive(): boolean {
    return this.#link.isLive
  }

  onChange(listener: () => void): void {
    this.#link.onChange(listener)
  }

  subscribe(key: string, onEvent: (event: RelayedEvent) => void): () => void {
    this.#connect()
    const wanted: Wanted = {
      key,
      onEvent,
      subscription: this.#connection && subscribed(this.#connection, { key, onEvent }),
    }
    this.#wanted.add(wanted)
    return () => {
      this.#wanted.delete(wanted)
      wanted.subscription?.unsubscribe()
    }
  }

  /** Subscribes to what was wanted before there was a connection; after that the library subscribes again by itself. */
  #connect() {
    const { connection } = this.#link
    if (!connection || connection === this.#connection) return
    this.#connection = connection
    for (const wanted of this.#wanted) wanted.subscription = subscribed(connection, wanted)
  }
}

const subscribed = (connection: NatsConnection, { key, onEvent }: Pick<Wanted, 'key' | 'onEvent'>) =>
  connection.subscribe(subjectsOfLine(key), {
    callback: (error, message) => {
      const event = error ? undefined : eventIn(message)
      if (event) onEvent(event)
    },
  })

function eventIn(message: Msg): RelayedEvent | undefined {
  const { subject, headers } = message
  const dot = subject.indexOf('.', PREFIX.length)
  const numberIn = (name: string) => Number(headers?.get(name) || Number.NaN)
  const [position, previous, sequence] = [numberIn(POSITION), numberIn(PREVIOUS), numberIn(SEQUENCE)]
  const id = headers?.get('Nats-Msg-Id')
  if (!id || !Number.isSafeInteger(position + previous + sequence) || dot < 0) return undefined
  const [channelId, type] = [subject.slice(PREFIX.length, dot), subject.slice(dot + 1)]
  return { id, type, payload: message.string(), channelId, sequence, position, previous }
}
