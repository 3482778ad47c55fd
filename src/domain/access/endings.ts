const REMEMBERED_MAX = 10_000

/**
 * What has ended lately, by name: looked at by whoever relied on it, so that one of ten thousand can end without a search.
 * An ending is remembered for `memoryMs` at least; too many of them end everything.
 */
export class Endings {
  readonly #memoryMs: number
  #count = 0
  #allAt = 0
  #recent = new Map<string, number>()
  #earlier = new Map<string, number>()
  #turnsAt = 0

  constructor(memoryMs: number) {
    this.#memoryMs = memoryMs
  }

  /** How many endings there were. */
  get count(): number {
    return this.#count
  }

  end(name: string): void {
    this.#turn()
    this.#recent.set(name, ++this.#count)
    if (this.#recent.size > REMEMBERED_MAX) this.endAll()
  }

  endAll(): void {
    this.#allAt = ++this.#count
    this.#recent.clear()
    this.#earlier.clear()
  }

  /** Whether one of these has ended since the count stood at `since`, which is less than `memoryMs` ago. */
  haveEnded(names: readonly string[], since: number): boolean {
    if (since === this.#count) return false
    return this.#allAt > since || names.some((name) => this.#lastOf(name) > since)
  }

  #lastOf(name: string): number {
    return this.#recent.get(name) ?? this.#earlier.get(name) ?? 0
  }

  #turn() {
    const now = performance.now()
    if (now < this.#turnsAt) return
    this.#earlier = this.#recent
    this.#recent = new Map()
    this.#turnsAt = now + this.#memoryMs
  }
}
