/** Wakes one waiter. What rings while nobody waits is heard at once by the next one: no ring is lost. */
export class Signal {
  #isRung = false
  #wake: (() => void) | undefined

  ring = (): void => {
    this.#isRung = true
    this.#wake?.()
  }

  /** Resolves at the next ring, when `signal` aborts, or after `ms`. */
  async heard(ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.#isRung && !signal?.aborted && ms > 0) await this.#wait(ms, signal)
    this.#isRung = false
  }

  async #wait(ms: number, signal: AbortSignal | undefined) {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      timer = setTimeout(resolve, ms)
      signal?.addEventListener('abort', this.ring, { once: true })
    })
    clearTimeout(timer)
    signal?.removeEventListener('abort', this.ring)
    this.#wake = undefined
  }
}
