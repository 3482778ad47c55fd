import { HOUR_MS } from '../../time/durations.ts'
import type { UsageCounter } from '../core/context.ts'

/** Bounds the memory: beyond this many entries between two writes, requests are not counted. */
const ENTRIES_MAX = 20_000

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

/** Requests of applications since the last write. Counting one is cheap and never fails. */
export class UsageCounts implements UsageCounter {
  readonly #now: () => Date
  #entries = new Map<string, UsageCount>()
  /** Requests that were not counted, because there was no room. */
  lost = 0

  constructor(now: () => Date) {
    this.#now = now
  }

  count(clientId: string, operation: string, status: number, durationMs: number): void {
    const nowMs = this.#now().getTime()
    const entry = this.#entryOf(clientId, nowMs - (nowMs % HOUR_MS), operation)
    if (!entry) return
    entry.requests += 1
    entry.durationMs += durationMs
    if (status === 429) entry.limited += 1
    else if (status >= 400) entry.errors += 1
  }

  /** Returns everything counted so far and starts again at zero. */
  take(): UsageCount[] {
    const taken = [...this.#entries.values()]
    this.#entries = new Map()
    return taken
  }

  /** Adds counts that were taken and could not be written. */
  putBack(taken: readonly UsageCount[]): void {
    for (const { clientId, hourMs, operation, ...counted } of taken) {
      const entry = this.#entryOf(clientId, hourMs, operation, counted.requests)
      if (!entry) continue
      entry.requests += counted.requests
      entry.errors += counted.errors
      entry.limited += counted.limited
      entry.durationMs += counted.durationMs
    }
  }

  #entryOf(clientId: string, hourMs: number, operation: string, requests = 1): UsageCount | undefined {
    const name = `${hourMs} ${clientId} ${operation}`
    const known = this.#entries.get(name)
    if (known) return known
    if (this.#entries.size >= ENTRIES_MAX) {
      this.lost += requests
      return undefined
    }
    const made = { clientId, hourMs, operation, requests: 0, errors: 0, limited: 0, durationMs: 0 }
    this.#entries.set(name, made)
    return made
  }
}
