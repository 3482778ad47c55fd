const KEPT_MAX = 10_000

/** Counts successes, to tell when a whole window of them is full: then the receiver may take one more at a time. */
export class ConcurrencyWindows {
  readonly #successes = new Map<string, number>()

  /** Counts one success; true when it fills the window, which then begins anew. */
  isFull(subscriptionId: string, sendWindow: number): boolean {
    const successes = (this.#successes.get(subscriptionId) ?? 0) + 1
    if (successes >= sendWindow) {
      this.#successes.delete(subscriptionId)
      return true
    }
    if (this.#successes.size >= KEPT_MAX) this.#successes.clear()
    this.#successes.set(subscriptionId, successes)
    return false
  }
}
