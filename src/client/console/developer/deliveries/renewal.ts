const RENEW_EVERY_MS = 1_000

/** Renews when it is asked to: at once, then at most once a second, and never while the renewal before is under way. */
export class Renewal {
  readonly #renew: () => Promise<unknown>
  #isAsked = false
  #isResting = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(renew: () => Promise<unknown>) {
    this.#renew = renew
  }

  ask = (): void => {
    this.#isAsked = true
    if (!this.#isResting) void this.#run()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#isResting = false
    this.#isAsked = false
  }

  async #run(): Promise<void> {
    this.#isAsked = false
    this.#isResting = true
    await this.#renew().catch(() => {}) // a query that failed shows it where it is shown
    this.#timer = setTimeout(() => {
      this.#isResting = false
      if (this.#isAsked) void this.#run()
    }, RENEW_EVERY_MS)
  }
}
