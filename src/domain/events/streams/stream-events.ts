import type { PlacedEvent, StreamEnd } from '../../core/live.ts'
import type { EventSink, EventStream } from './event-stream.ts'
import { Signal } from './signal.ts'

/**
 * The events of a stream as lists, for readers in this process, the first of which is empty and comes at once, until `signal` aborts. Throws the problem for which the stream
 * is ended.
 */
export async function* eventsOf(stream: EventStream, signal?: AbortSignal): AsyncGenerator<readonly PlacedEvent[]> {
  const queue = new Queue()
  try {
    stream.open(queue)
    while (!signal?.aborted) {
      for (const events of queue.takeAll()) yield events
      if (queue.problem) throw queue.problem
      await queue.changed.wait(WAIT_MS, signal)
    }
  } finally {
    stream.leave()
  }
}

/** A wait ends earlier by a change. */
const WAIT_MS = 60_000
const BYTES_ABOUT = 1_000

class Queue implements EventSink {
  readonly form = 'events'
  readonly changed = new Signal()
  problem: StreamEnd['problem'] | undefined
  #lists: (readonly PlacedEvent[])[] = []
  #taken = new Signal()

  get unsentBytes(): number {
    return this.#lists.reduce((bytes, { length }) => bytes + length * BYTES_ABOUT, 0)
  }

  takeAll(): (readonly PlacedEvent[])[] {
    const lists = this.#lists
    this.#lists = []
    this.#taken.notify()
    return lists
  }

  begin(): void {
    this.write([])
  }

  write(events: readonly PlacedEvent[]): void {
    this.#lists.push(events)
    this.changed.notify()
  }

  progress(): void {}

  beat(): void {}

  end({ problem }: StreamEnd): void {
    this.problem = problem
    this.changed.notify()
  }

  drained(): Promise<void> {
    return this.#taken.wait(WAIT_MS)
  }
}
