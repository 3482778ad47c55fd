import type { ActorContext } from '../core/context.ts'
import { createdAtOf, lowerBound } from '../core/ids.ts'
import { type LoggedEvent, readEvents } from './log.ts'

/** Longer than any transaction lasts: an event that commits late has an identifier from at most so long ago. */
const OVERLAP_MS = 10_000
/** A caller who was cut off for longer has to replay instead, with a subscription. */
const RESUMED_MS = 600_000

const TIME = '[0-9a-hjkmnp-tv-z]{10}'
const MARK = new RegExp(`^(evt_${TIME})\\.(evt_${TIME})`)

/**
 * Reads the log of events incrementally, from now on. An identifier is made before its commit, so an event may appear
 * before one that was read already. Hence each read repeats the last seconds and leaves out what it has returned before.
 */
export class EventTail {
  readonly #seen = new Set<string>()
  readonly #begin: string
  #after: string
  #isBehind = true

  /** Continues from the `mark` of an earlier tail, and may return the last seconds before it again. */
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

  /** Whether there may be more to read at once. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  /** Events that were not returned before, in the order of their identifiers within one read. */
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

  /** From where on events may still appear, but never before the beginning. */
  #overlapOf(last: string): string {
    const back = lowerBound('event', new Date(createdAtOf(last).getTime() - OVERLAP_MS))
    if (back < this.#begin) return this.#begin
    return back
  }
}
