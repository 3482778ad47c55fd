import { EVERY_CHANNEL } from '../../core/live.ts'
import type { EventSource, RelayedEvent } from '../../core/relayed.ts'
import type { Arrived, ArrivedEvent } from './arrived.ts'
import type { Line } from './line.ts'

/** So long after its commit an event is no longer waited for, and the database is read. */
const OVERDUE_MS = 300

/** Hands on the events that a source brings for lines. `onMissing` is called with those for which one comes late: they must be read. */
export class Arrivals {
  readonly #source: EventSource
  readonly #arrived: Arrived
  readonly #onMissing: (lines: readonly Line[]) => void
  /** Lines that an event was announced for, with their places at that time. */
  readonly #announced = new Map<Line, number>()

  constructor(source: EventSource, arrived: Arrived, onMissing: (lines: readonly Line[]) => void) {
    this.#source = source
    this.#arrived = arrived
    this.#onMissing = onMissing
  }

  get isLive(): boolean {
    return this.#source.isLive
  }

  /** Until the returned function is called. */
  follow(line: Line): () => void {
    const unsubscribe = this.#source.subscribe(line.key, (event) => this.#arrived.add(line, placedIn(line, event)))
    return () => {
      unsubscribe()
      this.#announced.delete(line)
    }
  }

  /** To be called when an event of a line was committed, which should come by itself. */
  announce(line: Line): void {
    if (this.#announced.has(line)) return
    if (this.#announced.size === 0) setTimeout(() => this.#findOverdue(), OVERDUE_MS).unref()
    this.#announced.set(line, line.place)
  }

  #findOverdue() {
    const overdue = [...this.#announced].filter(([line, place]) => line.place === place).map(([line]) => line)
    this.#announced.clear()
    if (overdue.length > 0) this.#onMissing(overdue)
  }
}

function placedIn(line: Line, { id, type, payload, sequence, position, previous }: RelayedEvent): ArrivedEvent {
  const places =
    line.key === EVERY_CHANNEL ? { place: position, previous } : { place: sequence, previous: sequence - 1 }
  return { id, type, payload, ...places }
}
