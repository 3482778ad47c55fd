type Listener = () => void

/** Tells listeners in this process that there may be new events. The context's `wake` is its `wake`. */
export class WakeHub {
  readonly #listeners = new Set<Listener>()
  readonly #committed = new Set<Listener>()

  /** To be called after a commit of this process. */
  wake = (): void => {
    for (const listen of this.#committed) listen()
    this.wakeHere()
  }

  /** To be called after a commit anywhere. Unlike `wake` it announces nothing, or two processes would echo each other. */
  wakeHere = (): void => {
    for (const listen of this.#listeners) listen()
  }

  /** Calls `listener` at every wake, until the returned function is called. */
  onWake = (listener: Listener): (() => void) => added(this.#listeners, listener)

  /** Calls `listener` after the commits of this process alone, until the returned function is called. */
  onCommit = (listener: Listener): (() => void) => added(this.#committed, listener)
}

function added(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
