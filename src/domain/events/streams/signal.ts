/** Wakes one waiter. A notification that comes while nobody waits ends the next wait at once, so none is lost. */
export class Signal {
  #isNotified = false
  #wake: (() => void) | undefined

  notify = (): void => {
    this.#isNotified = true
    this.#wake?.()
  }

  /** Resolves at the next notification, when `signal` aborts, or after `ms`. */
  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.#isNotified && !signal?.aborted && ms > 0) await this.#sleep(ms, signal)
    this.#isNotified = false
  }

  async #sleep(ms: number, signal: AbortSignal | undefined) {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      timer = setTimeout(resolve, ms)
      signal?.addEventListener('abort', this.notify, { once: true })
    })
    clearTimeout(timer)
    signal?.removeEventListener('abort', this.notify)
    this.#wake = undefined
  }
}
