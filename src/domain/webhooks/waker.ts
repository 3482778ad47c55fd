/** Tells whoever listens in this process that there may be something to deliver. Its `wake` is the context's. */
export class Waker {
  readonly #listeners = new Set<() => void>()

  wake = (): void => {
    for (const listen of this.#listeners) listen()
  }

  /** Calls `listener` at every wake, until the returned function is called. */
  onWake = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
