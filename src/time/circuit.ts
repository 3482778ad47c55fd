/** How long what has failed is left alone, before one caller asks it again. */
const LEFT_ALONE_MS = 1_000

/**
 * A circuit breaker for what can be done another way meanwhile. While it is closed everybody asks. Once it has been opened
 * nobody does, except one caller each second, until one of these closes it: so a failure costs one caller a second its wait.
 */
export class Circuit {
  #isOpen = false
  #askAtMs = 0

  /** Whether this caller is to ask; true for one of many at once while the circuit is open. */
  mayAsk(): boolean {
    if (!this.#isOpen) return true
    const now = performance.now()
    if (now < this.#askAtMs) return false
    this.#askAtMs = now + LEFT_ALONE_MS
    return true
  }

  /** It has failed, or was too slow. */
  open(): void {
    this.#isOpen = true
    this.#askAtMs = performance.now() + LEFT_ALONE_MS
  }

  /** It has answered. */
  close(): void {
    this.#isOpen = false
  }
}
