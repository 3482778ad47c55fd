import type { ActorContext } from '../core/context.ts'
import { createdAtOf, lowerBound } from '../core/ids.ts'
import { type LoggedEvent, readEvents } from './log.ts'

/** Longer than a transaction lasts: what commits late has an identifier that lies so far back at most. */
const OVERLAP_MS = 10_000
/** Who was away for longer replays, by what a subscription may replay. */
const RESUMED_MS = 600_000

const TIME = '[0-9a-hjkmnp-tv-z]{10}'
const MARK = new RegExp(`^(evt_${TIME})\\.(evt_${TIME})`)

/**
 * The log of events from now on, as it is read by and by. Identifiers are made before their commit, so an event may appear
 * behind one that was read already: the last seconds are read again each time, and what was seen is left out.
 */
export class EventTail {
  readonly #seen = new Set<string>()
  readonly #begin: string
  #after: string
  #isBehind = true

  /** `mark`: that of an earlier reading, which this one goes on behind. It has forgotten what that one saw last. */
  constructor({ now }: ActorContext, mark?: string | null) {
    const latest = lowerBound('event', now())
    const earliest = lowerBound('event', new Date(now().getTime() - RESUMED_MS))
    const [, begin = latest, after = begin] = MARK.exec(mark ?? '') ?? []
    const within = (bound: string) => (bound > latest ? latest : bound < earliest ? earliest : bound)
    this.#begin = within(begin)
    this.#after = this.#overlapOf(within(after))
  }

  get mark(): string {
    return `${this.#begin}.${this.#after}`
  }

  /** Whether there may be more already. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  /** What is new, oldest first as far as it is there. */
  async read(ctx: ActorContext): Promise<LoggedEvent[]> {
    const { events, next } = await readEvents(ctx, this.#after)
    this.#isBehind = next !== this.#after
    const fresh = events.filter(({ id }) => !this.#seen.has(id))
    for (const { id } of fresh) this.#seen.add(id)
    const back = this.#overlapOf(next)
    for (const id of this.#seen) if (id < back) this.#seen.delete(id)
    this.#after = this.#isBehind ? next : back
    return fresh
  }

  /** Where what may still appear begins, and never what was there before the beginning. */
  #overlapOf(last: string): string {
    const back = lowerBound('event', new Date(createdAtOf(last).getTime() - OVERLAP_MS))
    if (back < this.#begin) return this.#begin
    return back
  }
}
