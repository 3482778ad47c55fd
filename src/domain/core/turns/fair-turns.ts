import type { Caller } from '../caller.ts'
import { Problem } from '../problem.ts'
import { nobodyWaits, requireWaiting, whenGone } from '../request-record.ts'
import { Heap } from './heap.ts'

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

/** How long a take waits at most, and who is gone when their request has ended. */
type TurnWait = { waitMs: number; caller?: Pick<Caller, 'record'> | undefined }
/** What an owner waits for, who has waited longest first. */
type Line = { owner: string; waiting: Set<() => void>; number: number; sinceMs: number }

/** Whoever has waited for so long no longer waits for all who have used less. */
const PATIENCE_MS = 1_000
/** After so long what an owner has used counts for half as much. */
const HALF_LIFE_MS = 5_000
/** Less than this is forgotten of whoever waits for nothing. */
const USED_MIN_MS = 10

/**
 * Has work done that takes long and of which little can be done at a time: of each owner one, in the order in which they asked;
 * between owners by the time that they have used lately, least first, and in turn with that whoever has waited longest, beyond a
 * second. So neither one who asks for much, nor many whose work is slow, keep who asks seldom waiting for more than what runs and
 * one other; nor do those who ask for the first time keep anybody waiting who came before them for more than twice as many as were
 * there already. What has waited too long, and what nobody waits for any more, is refused and never begun.
 */
export class FairTurns {
  readonly #options: FairTurnsOptions
  /** Whose work is under way. */
  readonly #running = new Set<string>()
  /** By owner. */
  readonly #lines = new Map<string, Line>()
  /** Lines whose owner has nothing under way, in both orders; there are none while a place is free. */
  readonly #byUse = new Heap<Line>((one, other) => this.#hasUsedLess(one, other))
  readonly #byArrival = new Heap<Line>((one, other) => one.number < other.number)
  #arrived = 0
  #isPatientNext = false
  /** Milliseconds of work by owner, of those who had some lately. */
  readonly #used = new Map<string, number>()
  #halvedAt = performance.now()

  constructor(options: FairTurnsOptions) {
    this.#options = options
  }

  /**
   * The result of `work`, begun when it is its turn. Throws `rate_limited` when too much of the same owner waits already or has kept
   * it waiting for `waitMs`, and `unavailable` when others have; or the refusal of the options. `unavailable` at once when the
   * caller is gone.
   */
  async take<Result>(owner: string, { waitMs, caller }: TurnWait, work: () => Promise<Result>): Promise<Result> {
    if (caller) requireWaiting(caller)
    if (this.#mayBegin(owner)) this.#running.add(owner)
    else await this.#wait(owner, { waitMs, caller })
    const begun = performance.now()
    try {
      return await work()
    } finally {
      this.#running.delete(owner)
      this.#used.set(owner, this.#usedBy(owner) + performance.now() - begun)
      this.#joinAgain(owner)
      this.#beginNext()
    }
  }

  #mayBegin(owner: string): boolean {
    return this.#running.size < this.#options.places && !this.#running.has(owner)
  }

  #wait(owner: string, { waitMs, caller }: TurnWait): Promise<void> {
    const waiting = this.#lines.get(owner)?.waiting.size ?? 0
    if (waiting >= this.#options.waitingMax) throw this.#refusal(true)
    const line = this.#lineOf(owner)
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer)
        stay()
        line.waiting.delete(begin)
        if (line.waiting.size === 0) this.#remove(line)
      }
      const begin = () => {
        stop()
        resolve()
      }
      const refuse = (problem: () => Problem) => {
        stop()
        reject(problem())
      }
      const late = () => this.#options.late?.() ?? this.#refusal(this.#running.has(owner))
      const timer = setTimeout(refuse, waitMs, late)
      const stay = whenGone(caller?.record, () => refuse(nobodyWaits))
      line.waiting.add(begin)
    })
  }

  #refusal(isForOwn: boolean): Problem {
    return this.#options.refusal?.() ?? (isForOwn ? refusedForOwn() : refusedForOthers())
  }

  #lineOf(owner: string): Line {
    const found = this.#lines.get(owner)
    if (found) return found
    const line = { owner, waiting: new Set<() => void>(), number: 0, sinceMs: 0 }
    this.#lines.set(owner, line)
    this.#joinAgain(owner)
    return line
  }

  /** At the end of the lines that may be next, unless something of the owner is under way. */
  #joinAgain(owner: string) {
    const line = this.#lines.get(owner)
    if (!line || this.#running.has(owner)) return
    line.number = ++this.#arrived
    line.sinceMs = performance.now()
    this.#byUse.add(line)
    this.#byArrival.add(line)
  }

  #remove(line: Line) {
    this.#lines.delete(line.owner)
    this.#leave(line)
  }

  #leave(line: Line) {
    this.#byUse.delete(line)
    this.#byArrival.delete(line)
  }

  #beginNext() {
    this.#forget()
    const line = this.#next()
    const [begin] = line?.waiting ?? []
    if (!line || !begin) return
    this.#leave(line)
    this.#running.add(line.owner)
    begin()
  }

  #next(): Line | undefined {
    const first = this.#byArrival.first
    const isPatient = this.#isPatientNext && first && performance.now() - first.sinceMs > PATIENCE_MS
    this.#isPatientNext = !isPatient
    return isPatient ? first : this.#byUse.first
  }

  #hasUsedLess(one: Line, other: Line): boolean {
    const more = this.#usedBy(one.owner) - this.#usedBy(other.owner)
    return more < 0 || (more === 0 && one.number < other.number)
  }

  #usedBy(owner: string): number {
    return this.#used.get(owner) ?? 0
  }

  /** Leaves the order of those who wait as it is: it is kept while they do. */
  #forget() {
    const now = performance.now()
    if (now - this.#halvedAt < HALF_LIFE_MS) return
    const share = 0.5 ** ((now - this.#halvedAt) / HALF_LIFE_MS)
    this.#halvedAt = now
    for (const [owner, ms] of this.#used) {
      if (ms * share < USED_MIN_MS && !this.#lines.has(owner)) this.#used.delete(owner)
      else this.#used.set(owner, ms * share)
    }
  }
}

const refusedForOwn = () =>
  new Problem('rate_limited', 'What was asked for before is still being done: one at a time.', { retryAfterS: 1 })
const refusedForOthers = () =>
  new Problem('unavailable', 'The service cannot answer at the moment; try again.', { retryAfterS: 1 })
