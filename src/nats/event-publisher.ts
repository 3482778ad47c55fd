import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { MsgHdrs, NatsConnection } from '@nats-io/transport-node'
import type { EventPublisher, RelayedEvent } from '../domain/core/relayed.ts'
import { DAY_MS } from '../time/durations.ts'
import type { NatsLink } from './connection.ts'
import { ALL_SUBJECTS, POSITION, PREVIOUS, SEQUENCE, STREAM, subjectOfEvent } from './event-subject.ts'

const ANSWER_MS = 2_000
const NS_PER_MS = 1_000_000
/** Copies are for who listens now; whoever comes later reads the database. */
const KEPT_MS = DAY_MS
const KEPT_BYTES = 1024 ** 3

type JetStream = { connection: NatsConnection; client: JetStreamClient; manager: JetStreamManager }

/**
 * Publishes to the stream `EVENTS`. Each message says which one must be the last before it, so messages are stored in their
 * order whatever fails, and a process that was stopped for long and goes on stores nothing after another has taken over.
 */
export class NatsPublisher implements EventPublisher {
  readonly #link: NatsLink
  #jetStream: JetStream | undefined
  #newHeaders: (() => MsgHdrs) | undefined
  /** The number of the stream's last message. */
  #last = 0

  constructor(link: NatsLink) {
    this.#link = link
  }

  async resume(): Promise<number | undefined> {
    const { manager } = await this.#open()
    const { state } = await this.#streamOf(manager)
    this.#last = state.last_seq
    if (state.messages === 0) return undefined
    const last = await manager.streams.getMessage(STREAM, { seq: state.last_seq })
    const position = Number(last?.header.get(POSITION))
    return position > 0 ? position : undefined
  }

  async publish(events: readonly RelayedEvent[]): Promise<void> {
    const { client } = await this.#open()
    const stored = events.map((event, index) =>
      client.publish(subjectOfEvent(event), event.payload, {
        msgID: event.id,
        headers: this.#headersOf(event),
        expect: { streamName: STREAM, lastSequence: this.#last + index },
        timeout: ANSWER_MS,
      }),
    )
    const outcomes = await Promise.allSettled(stored)
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed) throw failed.reason
    if (outcomes.some((outcome) => outcome.status === 'fulfilled' && outcome.value.duplicate)) {
      throw new Error('Another process has relayed these events')
    }
    this.#last += events.length
  }

  /** The operator's stream of this name is used as it is. */
  async #streamOf({ streams }: JetStreamManager) {
    const known = await streams.info(STREAM).catch(() => undefined)
    if (known) return known
    return streams.add({
      name: STREAM,
      subjects: [ALL_SUBJECTS],
      max_age: KEPT_MS * NS_PER_MS,
      max_bytes: KEPT_BYTES,
    })
  }

  async #open(): Promise<JetStream> {
    const { connection, isLive } = this.#link
    if (!connection || !isLive) throw new Error('NATS is away')
    if (this.#jetStream?.connection === connection) return this.#jetStream
    const { jetstream, jetstreamManager } = await import('@nats-io/jetstream')
    this.#newHeaders = (await import('@nats-io/transport-node')).headers
    const options = { timeout: ANSWER_MS }
    const [client, manager] = [jetstream(connection, options), await jetstreamManager(connection, options)]
    this.#jetStream = { connection, client, manager }
    return this.#jetStream
  }

  #headersOf({ position, previous, sequence }: RelayedEvent): MsgHdrs {
    const headers = this.#newHeaders?.()
    if (!headers) throw new Error('resume() comes first')
    headers.set(POSITION, String(position))
    headers.set(PREVIOUS, String(previous))
    headers.set(SEQUENCE, String(sequence))
    return headers
  }
}
