import type { EventBatch, EventFilter, PlacedEvent } from '../../core/live.ts'

export class Batch implements EventBatch {
  readonly end: number
  readonly #events: readonly PlacedEvent[]
  readonly #wanted = new Map<string, readonly PlacedEvent[]>()

  constructor(events: readonly PlacedEvent[], end: number) {
    this.#events = events
    this.end = end
  }

  select(after: number, filter: EventFilter): readonly PlacedEvent[] {
    const known = this.#wanted.get(filter.key)
    const wanted = known ?? this.#events.filter((event) => filter.wants(event))
    if (!known) this.#wanted.set(filter.key, wanted)
    const [first] = wanted
    return first === undefined || first.place > after ? wanted : wanted.filter(({ place }) => place > after)
  }
}
