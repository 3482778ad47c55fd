/** A fixed window of one slot. It begins with the first that is counted in it. */
export type Window = {
  /** Of this window alone, so that what was counted in it is not given back in the next. */
  id: string
  used: number
  leftMs: number
}
export type Taking = Window & { isCounted: boolean }

/** The windows of one limit. */
export type Windows = {
  /** Counts one, unless there are `points` already. Where there is no window, one with this `id` begins. */
  take(slot: string, points: number, id: string): Promise<Taking>
  /** Counts nothing. */
  peek(slot: string): Promise<Window | undefined>
  /** Undoes one `take`, unless its window has ended. */
  giveBack(slot: string, id: string): Promise<void>
}

type Kept = { id: string; used: number; endsAtMs: number }

/** As many that have ended are forgotten when one begins: more than begin, and few enough that nobody waits for it. */
const FORGOTTEN_AT_ONCE = 2

/** Windows in the memory of this process. */
export class MemoryWindows implements Windows {
  readonly #windowMs: number
  /** By slot, in the order in which they end. */
  readonly #kept = new Map<string, Kept>()

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  async take(slot: string, points: number, id: string): Promise<Taking> {
    const now = wholeMs()
    const kept = this.#at(slot, now) ?? this.#begin(slot, id, now)
    const isCounted = kept.used < points
    if (isCounted) kept.used++
    return { ...shown(kept, now), isCounted }
  }

  async peek(slot: string): Promise<Window | undefined> {
    const now = wholeMs()
    const kept = this.#at(slot, now)
    return kept && shown(kept, now)
  }

  async giveBack(slot: string, id: string): Promise<void> {
    const kept = this.#kept.get(slot)
    if (kept?.id === id) kept.used--
  }

  #at(slot: string, now: number): Kept | undefined {
    const kept = this.#kept.get(slot)
    return kept && kept.endsAtMs > now ? kept : undefined
  }

  #begin(slot: string, id: string, now: number): Kept {
    this.#forget(now)
    const begun = { id, used: 0, endsAtMs: now + this.#windowMs }
    this.#kept.delete(slot)
    this.#kept.set(slot, begun)
    return begun
  }

  #forget(now: number) {
    let left = FORGOTTEN_AT_ONCE
    for (const [slot, { endsAtMs }] of this.#kept) {
      if (endsAtMs > now || left-- === 0) return
      this.#kept.delete(slot)
    }
  }
}

/** So that the length of a window is left of one that has just begun, and no fraction more. */
const wholeMs = () => Math.floor(performance.now())

const shown = ({ id, used, endsAtMs }: Kept, now: number): Window => ({ id, used, leftMs: endsAtMs - now })
