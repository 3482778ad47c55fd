import { shortageOf } from '../../db/db-error.ts'
import { errorMessageOf } from '../../telemetry/error-message.ts'
import type { Logger } from '../../telemetry/logger.ts'

/** A shortage that no statement has met for so long is over; the next one is told again. */
const OVER_MS = 60_000

const sentences = {
  '53100': 'The disk of the database is full: it writes again once there is room',
  '53200':
    'The database has no memory for a statement: look at work_mem, shared_buffers and what else runs on its machine',
  '53300': 'The database has no connection left: raise max_connections, or run fewer processes',
  '53400': 'A statement exceeds a limit in the configuration of the database, mostly temp_file_limit',
} satisfies Record<NonNullable<ReturnType<typeof shortageOf>>, string>

/** Logs once, and not for each statement, that the database lacks something, by the outcomes of statements. */
export class DatabaseShortages {
  readonly #log: Logger
  readonly #database: string
  readonly #metAtMs = new Map<string, number>()

  constructor(log: Logger, database: string) {
    this.#log = log
    this.#database = database
  }

  /** `outcome`: the error of a statement. */
  observe(outcome: Error) {
    const code = shortageOf(outcome)
    if (!code) return
    const now = performance.now()
    const metAtMs = this.#metAtMs.get(code) ?? Number.NEGATIVE_INFINITY
    this.#metAtMs.set(code, now)
    if (now - metAtMs < OVER_MS) return
    this.#log.error({ database: this.#database, code, reason: errorMessageOf(outcome) }, sentences[code])
  }
}
