import { isDatabaseAway } from '../../db/db-error.ts'
import { EdgeLogger } from '../../telemetry/edge-logger.ts'
import { errorMessageOf } from '../../telemetry/error-message.ts'
import type { Logger } from '../../telemetry/logger.ts'
import { DatabaseShortages } from './database-shortages.ts'

/**
 * Logs once when the connection to a database is lost and once when it is restored, and what the database is short of, judging
 * by the outcomes of statements.
 */
export class DatabaseOutages {
  readonly #edge: EdgeLogger
  readonly #shortages: DatabaseShortages

  constructor(log: Logger, database: string) {
    this.#edge = new EdgeLogger(log, {
      down: 'Database connection lost',
      up: 'Database connection restored',
      facts: { database },
    })
    this.#shortages = new DatabaseShortages(log, database)
  }

  /** `outcome`: the rows or the error of a statement. */
  observe(outcome: unknown) {
    if (!(outcome instanceof Error)) this.#edge.up()
    else if (isDatabaseAway(outcome)) this.#edge.down({ reason: errorMessageOf(outcome) })
    else this.#shortages.observe(outcome)
  }
}
