import { bornAt, lowerBound } from '../ids.ts'
import { type LoggedEvent, readEvents } from './event-log.ts'
import type { OwnerContext } from './owned.ts'

/** Longer than a transaction lasts: what commits late has an identifier that lies so far back at most. */
const OVERLAP_MS = 10_000

type Read = { events: LoggedEvent[]; isEnd: boolean }

/**
 * The log of events from now on, as it is read by and by. Identifiers are made before their commit, so an event may appear
 * behind one that was read already: the last seconds are read again each time, and what was seen is left out.
 */
export class FollowedLog {
  readonly #seen = new Set<string>()
  readonly #begin: string
  #after: string

  /** `mark`: that of an earlier reading, which this one goes on behind. It has forgotten what that one saw last. */
  constructor({ now }: OwnerContext, mark?: string | null) {
    const [, begin, after] = /^(evt_[0-9a-z]{10})\.(evt_[0-9a-z]{10,26})$/.exec(mark ?? '') ?? []
    this.#begin = begin ?? lowerBound('event', now())
    this.#after = after === undefined ? this.#begin : this.#rewound(after)
  }

  get mark(): string {
    return `${this.#begin}.${this.#after}`
  }

  /** What is new, oldest first as far as it is there. `isEnd`: there is no more for now. */
  async read(ctx: OwnerContext): Promise<Read> {
    const { events, next } = await readEvents(ctx, this.#after)
    const isEnd = next === this.#after
    this.#after = isEnd ? this.#rewound(next) : next
    const fresh = events.filter(({ id }) => !this.#seen.has(id))
    for (const { id } of fresh) this.#seen.add(id)
    return { events: fresh, isEnd }
  }

  /** Where to read again from, and never what was there before the beginning. */
  #rewound(last: string): string {
    const back = lowerBound('event', new Date(bornAt(last).getTime() - OVERLAP_MS))
    for (const id of this.#seen) if (id < back) this.#seen.delete(id)
    if (back < this.#begin) return this.#begin
    return back
  }
}
