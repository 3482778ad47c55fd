import type { PlacedEvent } from '../../core/live.ts'
import type { Line } from './line.ts'

/** What comes within so long after something was told is told together: a busy room costs its streams a write for several messages. */
const GATHER_MS = 10

/** An event that came without being read. */
export type ArrivedEvent = PlacedEvent & {
  /** The place of the event before it in its line. */
  previous: number
}

/**
 * Tells lines of events that came without being read, in their order and each once. `onMissing` is called with the lines in which
 * one is missing: they must be read.
 */
export class Arrived {
  readonly #onMissing: (lines: readonly Line[]) => void
  readonly #events = new Map<Line, ArrivedEvent[]>()
  #willTell = false
  #toldAt = Number.NEGATIVE_INFINITY

  constructor(onMissing: (lines: readonly Line[]) => void) {
    this.#onMissing = onMissing
  }

  add(line: Line, event: ArrivedEvent): void {
    const events = this.#events.get(line)
    if (events) events.push(event)
    else this.#events.set(line, [event])
    if (this.#willTell) return
    this.#willTell = true
    const rest = this.#toldAt + GATHER_MS - performance.now()
    if (rest > 0) setTimeout(() => this.#tellAll(), rest)
    else setImmediate(() => this.#tellAll()) // whoever has sent it is answered before all who watch are written to
  }

  /** To be called for a line that nobody holds any more. */
  forget(line: Line): void {
    this.#events.delete(line)
  }

  #tellAll() {
    this.#willTell = false
    this.#toldAt = performance.now()
    const arrived = [...this.#events]
    this.#events.clear()
    const missing = arrived.filter(([line, events]) => !tellInOrder(line, events)).map(([line]) => line)
    if (missing.length > 0) this.#onMissing(missing)
  }
}

/** Tells a line of those that follow on its place without a gap. Returns whether there was no gap. */
function tellInOrder(line: Line, events: readonly ArrivedEvent[]): boolean {
  const told: PlacedEvent[] = []
  let end = line.place
  let hasGap = false
  // answers to statements of two connections may change places
  for (const event of events.toSorted((one, other) => one.place - other.place)) {
    if (event.place <= end) continue
    hasGap = event.previous > end
    if (hasGap) break
    told.push(event)
    end = event.place
  }
  line.tell(told, end)
  return !hasGap
}
