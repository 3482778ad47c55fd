import { EVERY_CHANNEL, type PlacedEvent } from '../../core/live.ts'
import type { EventSource, RelayedEvent } from '../../core/relayed.ts'
import type { Line } from './line.ts'

/** What comes within so long is told together: a busy room costs a write to each of its streams for several messages. */
const GATHER_MS = 10
/** So long after its commit an event is no longer waited for, and the database is read. */
const OVERDUE_MS = 300

/**
 * Tells lines of the events that a source brings, in their order and each once. `onMissing` is called for a line of which one
 * is missing, or comes late: it must be read.
 */
export class Arrivals {
  readonly #source: EventSource
  readonly #onMissing: (lines: readonly Line[]) => void
  readonly #arrived = new Map<Line, RelayedEvent[]>()
  /** Lines that an event was announced for, with their places at that time. */
  readonly #announced = new Map<Line, number>()

  constructor(source: EventSource, onMissing: (lines: readonly Line[]) => void) {
    this.#source = source
    this.#onMissing = onMissing
  }

  get isLive(): boolean {
    return this.#source.isLive
  }

  /** Until the returned function is called. */
  follow(line: Line): () => void {
    const unsubscribe = this.#source.subscribe(line.key, (event) => this.#gather(line, event))
    return () => {
      unsubscribe()
      this.#arrived.delete(line)
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

  #gather(line: Line, event: RelayedEvent) {
    if (this.#arrived.size === 0) setTimeout(() => this.#tellAll(), GATHER_MS)
    const events = this.#arrived.get(line)
    if (events) events.push(event)
    else this.#arrived.set(line, [event])
  }

  #tellAll() {
    const arrived = [...this.#arrived]
    this.#arrived.clear()
    const missing = arrived.filter(([line, events]) => !tellInOrder(line, events)).map(([line]) => line)
    if (missing.length > 0) this.#onMissing(missing)
  }
}

/** Tells a line of those that follow on its place without a gap. Returns whether there was no gap. */
function tellInOrder(line: Line, events: readonly RelayedEvent[]): boolean {
  const isOfAll = line.key === EVERY_CHANNEL
  const told: PlacedEvent[] = []
  let end = line.place
  let hasGap = false
  for (const { id, type, payload, sequence, position, previous } of events) {
    const place = isOfAll ? position : sequence
    if (place <= end) continue
    hasGap = (isOfAll ? previous : sequence - 1) > end
    if (hasGap) break
    told.push({ id, type, payload, place })
    end = place
  }
  line.tell(told, end)
  return !hasGap
}
