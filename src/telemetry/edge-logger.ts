import type { Logger } from './logger.ts'

export type Edge = {
  /** Logged when the failure begins, and when it has ended. */
  down: string
  up: string
  /** What both lines say besides. */
  facts?: object
}

/** Logs that something began to fail and that it works again, once each, however often either is reported. */
export class EdgeLogger {
  readonly #log: Logger
  readonly #edge: Edge
  #downAt: number | undefined

  constructor(log: Logger, edge: Edge) {
    this.#log = log
    this.#edge = edge
  }

  /** `facts` say why it fails. */
  down(facts: object, level: 'warn' | 'error' = 'warn') {
    if (this.#downAt !== undefined) return
    this.#downAt = performance.now()
    this.#log[level]({ ...this.#edge.facts, ...facts }, this.#edge.down)
  }

  up() {
    if (this.#downAt === undefined) return
    const awayMs = Math.round(performance.now() - this.#downAt)
    this.#downAt = undefined
    this.#log.info({ ...this.#edge.facts, awayMs }, this.#edge.up)
  }
}
