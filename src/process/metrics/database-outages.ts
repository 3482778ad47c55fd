import { isConnectionLost } from '../../db/db-error.ts'
import { errorMessageOf } from '../../telemetry/error-message.ts'
import type { Logger } from '../../telemetry/logger.ts'

/** Tells once that a database does not answer any more, and once that it does again; is given what becomes of statements. */
export class DatabaseOutages {
  readonly #log: Logger
  readonly #name: string
  #lostAt: number | undefined

  constructor(log: Logger, name: string) {
    this.#log = log
    this.#name = name
  }

  /** The rows or the error of a statement. */
  heard(outcome: unknown) {
    if (outcome instanceof Error) {
      if (this.#lostAt === undefined && isConnectionLost(outcome)) this.#lose(outcome)
    } else if (this.#lostAt !== undefined) this.#find(this.#lostAt)
  }

  #lose(error: Error) {
    this.#lostAt = performance.now()
    this.#log.warn({ database: this.#name, reason: errorMessageOf(error) }, 'The database does not answer')
  }

  #find(lostAt: number) {
    this.#lostAt = undefined
    const awayMs = Math.round(performance.now() - lostAt)
    this.#log.info({ database: this.#name, awayMs }, 'The database answers again')
  }
}
