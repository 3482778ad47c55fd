import { Problem } from '../problem.ts'

type FairTurnsOptions = {
  /** How much runs at a time, whoever asked for it. */
  places: number
  /** How much of one owner waits at most, beside what runs. */
  waitingMax: number
  /** What is thrown where somebody has waited in vain, in place of what readers of lists are told. */
  refusal?: () => Problem
  /** The same where it was `waitMs` that ended the waiting, whosever work was before. */
  late?: () => Problem
}

type Waiting = { begin: () => void }

/** After so long what an owner has used counts for half as much. */
const HALF_LIFE_MS = 5_000
/** Less than this is forgotten. */
const USED_MIN_MS = 10

/**
 * Has work done that takes long and of which little can be done at a time: of each owner one, in the order in which they asked;
 * between owners by the time that they have used lately, least first. So neither one who asks for much, nor many whose work is slow, keep
 * who asks seldom waiting for more than what runs. What has waited too long is refused and never begun.
 */
export class FairTurns {
  readonly #options: FairTurnsOptions
  /** Whose work is under way. */
  readonly #running = new Set<string>()
  /** By owner; who has waited longest comes first. */
  readonly #waiting = new Map<string, Waiting[]>()
  /** Milliseconds of work by owner, of those who had some lately. */
  readonly #used = new Map<string, number>()
  #halvedAt = performance.now()

  constructor(options: FairTurnsOptions) {
    this.#options = options
  }

  /**
   * The result of `work`, begun when it is its turn. Throws `rate_limited` when too much of the same owner waits already or has kept
   * it waiting for `waitMs`, and `unavailable` when others have; or the refusal of the options.
   */
  async take<Result>(owner: string, waitMs: number, work: () => Promise<Result>): Promise<Result> {
    if (this.#mayBegin(owner)) this.#running.add(owner)
    else await this.#wait(owner, waitMs)
    const begun = performance.now()
    try {
      return await work()
    } finally {
      this.#running.delete(owner)
      this.#used.set(owner, this.#usedBy(owner) + performance.now() - begun)
      this.#beginNext()
    }
  }

  #mayBegin(owner: string): boolean {
    return this.#running.size < this.#options.places && !this.#running.has(owner)
  }

  #wait(owner: string, waitMs: number): Promise<void> {
    const line = this.#waiting.get(owner) ?? []
    if (line.length >= this.#options.waitingMax) throw this.#refusal(true)
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
        reject(this.#options.late?.() ?? this.#refusal(this.#running.has(owner)))
      }, waitMs)
      line.push(waiting)
    })
  }

  #refusal(isForOwn: boolean): Problem {
    return this.#options.refusal?.() ?? (isForOwn ? refusedForOwn() : refusedForOthers())
  }

  /** Whoever gets a place goes to the end of the line of owners. */
  #beginNext() {
    this.#forget()
    const owner = this.#leastUsed()
    const line = owner === undefined ? undefined : this.#waiting.get(owner)
    const next = line?.shift()
    if (owner === undefined || line === undefined || next === undefined) return
    this.#waiting.delete(owner)
    if (line.length > 0) this.#waiting.set(owner, line)
    this.#running.add(owner)
    next.begin()
  }

  /** Of those who may begin now. */
  #leastUsed(): string | undefined {
    let least: string | undefined
    for (const owner of this.#waiting.keys()) {
      if (!this.#mayBegin(owner)) continue
      if (least === undefined || this.#usedBy(owner) < this.#usedBy(least)) least = owner
    }
    return least
  }

  #usedBy(owner: string): number {
    return this.#used.get(owner) ?? 0
  }

  #forget() {
    const now = performance.now()
    if (now - this.#halvedAt < HALF_LIFE_MS) return
    const share = 0.5 ** ((now - this.#halvedAt) / HALF_LIFE_MS)
    this.#halvedAt = now
    for (const [owner, ms] of this.#used) {
      if (ms * share < USED_MIN_MS) this.#used.delete(owner)
      else this.#used.set(owner, ms * share)
    }
  }
}

const refusedForOwn = () =>
  new Problem('rate_limited', 'What was asked for before is still being done: one at a time.', { retryAfterS: 1 })
const refusedForOthers = () =>
  new Problem('unavailable', 'The service cannot answer at the moment; try again.', { retryAfterS: 1 })
