/** An upper bound for the number of keys in a fixed window: those that were new in this window or the one before. */
export class NewKeys {
  static readonly MAX = 100_000
  readonly #windowMs: number
  #endsAt = 0
  #current = 0
  #previous = 0

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  add() {
    this.#turn()
    this.#current++
  }

  get areTooMany(): boolean {
    this.#turn()
    return this.#current + this.#previous >= NewKeys.MAX
  }

  #turn() {
    const now = performance.now()
    if (now < this.#endsAt) return
    this.#previous = now - this.#endsAt < this.#windowMs ? this.#current : 0
    this.#current = 0
    this.#endsAt = now + this.#windowMs
  }
}
