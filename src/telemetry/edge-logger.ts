import type { Logger } from './logger.ts'

export type Edge = {
  /** Logged when the failure begins, and when it has ended. */
  down: string
  up: string
  /** What both lines say besides. */
  facts?: object
}

type Level = 'warn' | 'error'

/** What fails again so soon works by halves: then it works again once it has not failed for as long. */
const STEADY_MS = 10_000

/**
 * Logs that something began to fail and that it works again, once each, however often either is reported, and however often it
 * turns from one to the other: of what fails by halves there is a line when that begins, and one when it has ended.
 */
export class EdgeLogger {
  readonly #log: Logger
  readonly #edge: Edge
  #downAt: number | undefined
  /** That of the failure: whoever is told of it is told of its end. */
  #level: Level = 'warn'
  /** When `up` was logged. */
  #upAt = Number.NEGATIVE_INFINITY
  #failedAt = Number.NEGATIVE_INFINITY
  /** Since when it works, as was reported last. */
  #worksSince: number | undefined
  #isUnsteady = false
  #timer: NodeJS.Timeout | undefined

  constructor(log: Logger, edge: Edge) {
    this.#log = log
    this.#edge = edge
  }

  /** `facts` say why it fails. */
  down(facts: object, level: Level = 'warn') {
    this.#failedAt = performance.now()
    this.#worksSince = undefined
    if (this.#downAt !== undefined) return
    this.#downAt = this.#failedAt
    this.#isUnsteady = this.#failedAt - this.#upAt < STEADY_MS
    this.#level = level
    this.#log[level]({ ...this.#edge.facts, ...facts }, this.#edge.down)
  }

  up() {
    if (this.#downAt === undefined) return
    this.#worksSince ??= performance.now()
    if (this.#isUnsteady) this.#timer ??= this.#judgeIn(STEADY_MS)
    else this.#tellUp(this.#downAt, this.#worksSince)
  }

  #judgeIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#judge(), ms).unref()
  }

  #judge() {
    this.#timer = undefined
    if (this.#downAt === undefined || this.#worksSince === undefined) return
    const leftMs = STEADY_MS - (performance.now() - this.#failedAt)
    if (leftMs > 0) this.#timer = this.#judgeIn(Math.ceil(leftMs))
    else this.#tellUp(this.#downAt, this.#worksSince)
  }

  #tellUp(downAt: number, worksSince: number) {
    this.#downAt = undefined
    this.#upAt = performance.now()
    this.#log[this.#level]({ ...this.#edge.facts, awayMs: Math.round(worksSince - downAt) }, this.#edge.up)
  }
}
