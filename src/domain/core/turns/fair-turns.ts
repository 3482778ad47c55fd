import { Problem } from '../problem.ts'

type FairTurnsOptions = {
  /** How much runs at a time, whoever asked for it. */
  places: number
  /** How much of one owner waits at most, beside what runs. */
  waitingMax: number
}

type Waiting = { begin: () => void }

/**
 * Has work done that takes long and of which little can be done at a time: of each owner one, in the order in which they asked;
 * between owners in turn, so that one who asks for much keeps nobody else waiting for more than what runs. What has waited too
 * long is refused and never begun.
 */
export class FairTurns {
  readonly #options: FairTurnsOptions
  /** Whose work is under way. */
  readonly #running = new Set<string>()
  /** By owner; whose turn is next comes first. */
  readonly #waiting = new Map<string, Waiting[]>()

  constructor(options: FairTurnsOptions) {
    this.#options = options
  }

  /**
   * The result of `work`, begun when it is its turn. Throws `rate_limited` when too much of the same owner waits already or has kept
   * it waiting for `waitMs`, and `unavailable` when others have.
   */
  async take<Result>(owner: string, waitMs: number, work: () => Promise<Result>): Promise<Result> {
    if (this.#mayBegin(owner)) this.#running.add(owner)
    else await this.#wait(owner, waitMs)
    try {
      return await work()
    } finally {
      this.#running.delete(owner)
      this.#beginNext()
    }
  }

  #mayBegin(owner: string): boolean {
    return this.#running.size < this.#options.places && !this.#running.has(owner)
  }

  #wait(owner: string, waitMs: number): Promise<void> {
    const line = this.#waiting.get(owner) ?? []
    if (line.length >= this.#options.waitingMax) throw refusedForOwn()
    this.#waiting.set(owner, line)
    return new Promise((resolve, reject) => {
      const waiting = {
        begin: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        line.splice(line.indexOf(waiting), 1)
        if (line.length === 0) this.#waiting.delete(owner)
        reject(this.#running.has(owner) ? refusedForOwn() : refusedForOthers())
      }, waitMs)
      line.push(waiting)
    })
  }

  /** Whoever gets a place goes to the end of the line of owners. */
  #beginNext() {
    for (const [owner, line] of this.#waiting) {
      if (!this.#mayBegin(owner)) continue
      const next = line.shift()
      this.#waiting.delete(owner)
      if (line.length > 0) this.#waiting.set(owner, line)
      this.#running.add(owner)
      return next?.begin()
    }
  }
}

const refusedForOwn = () =>
  new Problem('rate_limited', 'What was asked for before is still being looked up: one at a time.', { retryAfterS: 1 })
const refusedForOthers = () =>
  new Problem('unavailable', 'The service cannot answer at the moment; try again.', { retryAfterS: 1 })
