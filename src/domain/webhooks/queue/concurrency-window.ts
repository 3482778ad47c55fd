const ENTRIES_MAX = 10_000

/** Counts the successes of each subscription: after as many as its window holds, the window grows by one. */
export class ConcurrencyWindows {
  readonly #successes = new Map<string, number>()

  /** Counts one success. True when the window is full; counting then begins anew. */
  isFull(subscriptionId: string, sendWindow: number): boolean {
    const successes = (this.#successes.get(subscriptionId) ?? 0) + 1
    if (successes >= sendWindow) {
      this.#successes.delete(subscriptionId)
      return true
    }
    if (this.#successes.size >= ENTRIES_MAX) this.#successes.clear()
    this.#successes.set(subscriptionId, successes)
    return false
  }
}
