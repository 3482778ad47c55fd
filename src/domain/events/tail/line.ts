import type { EventLine, Follower, PlacedEvent } from '../../core/live.ts'
import { Batch } from './batch.ts'

export class Line implements EventLine {
  readonly key: string
  readonly #onReleased: (line: Line) => void
  readonly #onTold: (events: readonly PlacedEvent[]) => void
  readonly #followers = new Set<Follower>()
  #place: number
  #holders = 0

  /** `onReleased` is called when nobody holds the line any more, `onTold` with what its followers are told. */
  constructor(
    key: string,
    place: number,
    onReleased: (line: Line) => void,
    onTold: (events: readonly PlacedEvent[]) => void = () => {},
  ) {
    this.key = key
    this.#place = place
    this.#onReleased = onReleased
    this.#onTold = onTold
  }

  get place(): number {
    return this.#place
  }

  get isHeld(): boolean {
    return this.#holders > 0
  }

  hold(): this {
    this.#holders++
    return this
  }

  release(): void {
    if (--this.#holders === 0) this.#onReleased(this)
  }

  follow(follower: Follower): void {
    this.#followers.add(follower)
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower)
  }

  /** Tells all followers of the events up to `end`, which is behind the line's place. */
  tell(events: readonly PlacedEvent[], end: number): void {
    if (end <= this.#place) return
    this.#place = end
    if (this.#followers.size > 0) this.#onTold(events)
    const batch = new Batch(events, end)
    for (const follower of this.#followers) {
      try {
        follower.take(batch)
      } catch (error) {
        this.#followers.delete(follower)
        follower.fail(error) // alone: it must not keep the others from what they wait for
      }
    }
  }
}
