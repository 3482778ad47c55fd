type Listener = () => void

/** Tells whoever listens in this process that there are new events. Its `wake` is the context's. */
export class WakeHub {
  readonly #listeners = new Set<Listener>()
  readonly #committed = new Set<Listener>()

  /** After a commit of this process. */
  wake = (): void => {
    for (const listen of this.#committed) listen()
    this.wakeHere()
  }

  /** After a commit anywhere: who was told of one tells nobody, or two processes would go on telling each other. */
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
