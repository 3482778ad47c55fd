/** A greeting of a process may be lost, and the next one late, before it counts as gone; see `GREETING_MS`. */
const GONE_AFTER_MS = 12_000
/** How often a process that listens says so. */
export const GREETING_MS = 5_000

/**
 * Whether other processes listen to the notifications of this one: one that listens greets all others when it begins, and every
 * 5 s. A process that has listened for 12 s and heard nobody need not announce what it commits. What is committed just before a
 * greeting arrives is found by who greeted as every lost notification is: he reads again once he listens, and polls.
 */
export class OtherListeners {
  readonly #now: () => number
  #aloneFrom = Number.POSITIVE_INFINITY

  /** `now` in milliseconds, of a clock that is never set back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** To be called when this process hears notifications from now on. */
  canBeHeard(): void {
    this.#aloneFrom = this.#now() + GONE_AFTER_MS
  }

  /** To be called when another process is heard, also on a connection that is lost before this process listens to all channels. */
  areThere(): void {
    if (this.#aloneFrom < Number.POSITIVE_INFINITY) this.canBeHeard()
  }

  /** To be called when this process hears nothing any more. */
  cannotBeHeard(): void {
    this.#aloneFrom = Number.POSITIVE_INFINITY
  }

  /** Whether somebody may listen: true unless nobody was heard for long by a process that listens. */
  get areLikely(): boolean {
    return this.#now() < this.#aloneFrom
  }
}
