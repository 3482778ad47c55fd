import { type TrackedEnvelope, tracked } from '@trpc/server'
import { createdAtOf } from '../domain/core/ids.ts'
import type { PlacedEvent } from '../domain/core/live.ts'
import type { EventStream } from '../domain/events/streams/event-stream.ts'
import { eventsOf } from '../domain/events/streams/stream-events.ts'

/** What a typed client sees of the events of a stream. */
export type StreamShape<Item> = {
  /** Streams with the same key show the same events alike. */
  readonly key: string
  /** What the client sends to continue when it was cut off; not empty. `at`: no event behind the place is much older. */
  mark(place: number, at: Date): string
  itemOf(event: PlacedEvent): Item
  /** Sent at once, so that the client has a mark before anything happens. */
  first?: Item
}

/** A stream of events for typed clients. Our server writes it by itself (`rest/live`): tRPC would make each item anew for every reader. */
export async function live<Item>(
  stream: Promise<EventStream>,
  shapeOf: (key: string) => StreamShape<Item>,
): Promise<LiveCall<Item>> {
  const opened = await stream
  return new LiveCall(opened, shapeOf(opened.key))
}

export class LiveCall<Item = unknown> implements AsyncIterable<TrackedEnvelope<Item>> {
  readonly stream: EventStream
  readonly shape: StreamShape<Item>

  constructor(stream: EventStream, shape: StreamShape<Item>) {
    this.stream = stream
    this.shape = shape
  }

  async *[Symbol.asyncIterator]() {
    for await (const events of eventsOf(this.stream)) {
      for (const event of events)
        yield tracked(this.shape.mark(event.place, createdAtOf(event.id)), this.shape.itemOf(event))
    }
  }
}
