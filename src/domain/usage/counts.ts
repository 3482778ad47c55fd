import { HOUR_MS } from '../../time/durations.ts'
import type { UsageCounter } from '../core/context.ts'

/** What is counted for more than this between two writings is lost, so that memory is bounded. */
const TALLIES_MAX = 20_000

/** What an application asked of one operation in one hour. */
export type UsageCount = {
  clientId: string
  /** Milliseconds since 1970 at which the hour begins. */
  hourMs: number
  operation: string
  requests: number
  /** Of those, the ones answered with 400 or more, but for `limited`. */
  errors: number
  /** Of those, the ones answered with 429. */
  limited: number
  durationMs: number
}

/** Requests of applications since they were last written down. Counting one takes no time to speak of and never fails. */
export class UsageCounts implements UsageCounter {
  readonly #now: () => Date
  #tallies = new Map<string, UsageCount>()
  /** Requests for which there was no room. */
  lost = 0

  constructor(now: () => Date) {
    this.#now = now
  }

  count(clientId: string, operation: string, status: number, durationMs: number): void {
    const nowMs = this.#now().getTime()
    const tally = this.#tallyOf(clientId, nowMs - (nowMs % HOUR_MS), operation)
    if (!tally) return
    tally.requests += 1
    tally.durationMs += durationMs
    if (status === 429) tally.limited += 1
    else if (status >= 400) tally.errors += 1
  }

  /** Everything counted so far, which is forgotten here. */
  take(): UsageCount[] {
    const taken = [...this.#tallies.values()]
    this.#tallies = new Map()
    return taken
  }

  /** Adds what was taken and could not be written. */
  putBack(taken: readonly UsageCount[]): void {
    for (const { clientId, hourMs, operation, ...counted } of taken) {
      const tally = this.#tallyOf(clientId, hourMs, operation, counted.requests)
      if (!tally) continue
      tally.requests += counted.requests
      tally.errors += counted.errors
      tally.limited += counted.limited
      tally.durationMs += counted.durationMs
    }
  }

  #tallyOf(clientId: string, hourMs: number, operation: string, requests = 1): UsageCount | undefined {
    const name = `${hourMs} ${clientId} ${operation}`
    const known = this.#tallies.get(name)
    if (known) return known
    if (this.#tallies.size >= TALLIES_MAX) {
      this.lost += requests
      return undefined
    }
    const made = { clientId, hourMs, operation, requests: 0, errors: 0, limited: 0, durationMs: 0 }
    this.#tallies.set(name, made)
    return made
  }
}
